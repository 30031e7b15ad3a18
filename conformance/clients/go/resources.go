package main

import (
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func create(database *azcosmos.DatabaseClient, id string, paths ...string) {
	throughput := azcosmos.NewManualThroughputProperties(18_000)
	key := azcosmos.PartitionKeyDefinition{Paths: paths, Version: 2}
	properties := azcosmos.ContainerProperties{ID: id, PartitionKeyDefinition: key}
	options := azcosmos.CreateContainerOptions{ThroughputProperties: &throughput}
	must(database.CreateContainer(background, properties, &options))
}

func databases(client *azcosmos.Client, name string) any {
	return map[string]any{
		"again":  refusal(client.CreateDatabase(background, azcosmos.DatabaseProperties{ID: name}, nil)),
		"listed": contains(databasesOf(client, "SELECT * FROM d", nil), name),
		"found":  databasesOf(client, "SELECT * FROM d WHERE d.id = @id", []azcosmos.QueryParameter{{Name: "@id", Value: name}}),
		"absent": refusal(must(client.NewDatabase("absent")).Read(background, nil)),
	}
}

func databasesOf(client *azcosmos.Client, text string, parameters []azcosmos.QueryParameter) []string {
	found := []string{}
	pager := client.NewQueryDatabasesPager(text, &azcosmos.QueryDatabasesOptions{QueryParameters: parameters})
	for pager.More() {
		for _, each := range must(pager.NextPage(background)).Databases {
			found = append(found, each.ID)
		}
	}
	return found
}

func containers(database *azcosmos.DatabaseClient) any {
	properties := azcosmos.ContainerProperties{
		ID:                     "settings",
		PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}, Version: 2},
	}
	must(database.CreateContainer(background, properties, nil))
	settings := must(database.NewContainer("settings"))
	hour := int32(3600)
	properties.DefaultTimeToLive = &hour
	must(settings.Replace(background, properties, nil))
	return map[string]any{
		"again":   refusal(database.CreateContainer(background, properties, nil)),
		"listed":  containersOf(database, "SELECT * FROM c ORDER BY c.id"),
		"found":   containersOf(database, "SELECT * FROM c WHERE c.id = 'settings'"),
		"ttl":     must(settings.Read(background, nil)).ContainerProperties.DefaultTimeToLive,
		"removed": refusal(settings.Delete(background, nil)),
	}
}

func containersOf(database *azcosmos.DatabaseClient, text string) []string {
	found := []string{}
	pager := database.NewQueryContainersPager(text, nil)
	for pager.More() {
		for _, each := range must(pager.NextPage(background)).Containers {
			found = append(found, each.ID)
		}
	}
	return found
}

func throughput(orders *azcosmos.ContainerClient) any {
	before, _ := must(orders.ReadThroughput(background, nil)).ThroughputProperties.ManualThroughput()
	must(orders.ReplaceThroughput(background, azcosmos.NewManualThroughputProperties(18_100), nil))
	after, _ := must(orders.ReadThroughput(background, nil)).ThroughputProperties.ManualThroughput()
	return []int32{before, after}
}

func deleted(client *azcosmos.Client, database *azcosmos.DatabaseClient) any {
	must(must(database.NewContainer("sessions")).Delete(background, nil))
	left := containersOf(database, "SELECT * FROM c")
	must(database.Delete(background, nil))
	return map[string]any{"left": left, "listed": contains(databasesOf(client, "SELECT * FROM d", nil), database.ID())}
}

func contains(all []string, wanted string) bool {
	for _, each := range all {
		if each == wanted {
			return true
		}
	}
	return false
}
