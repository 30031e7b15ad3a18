package main

import (
	"encoding/json"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// Writes are answered with what was written.
var withContent = azcosmos.ItemOptions{EnableContentResponseOnWrite: true}

func items(orders *azcosmos.ContainerClient) any {
	key := keyOf("zoe")
	body := func(total int) []byte { return written(named{"one", "zoe", total}) }
	created := must(orders.CreateItem(background, key, body(1), &withContent))
	again := refusal(orders.CreateItem(background, key, body(1), nil))
	upserted := must(orders.UpsertItem(background, key, body(2), &withContent))
	replaced := must(orders.ReplaceItem(background, key, "one", body(3), &withContent))
	stale := azcosmos.ItemOptions{IfMatchEtag: &created.ETag}
	return map[string]any{
		"created":  read[named](created.Value).Total,
		"again":    again,
		"upserted": read[named](upserted.Value).Total,
		"replaced": read[named](replaced.Value).Total,
		"stale":    refusal(orders.ReplaceItem(background, key, "one", body(4), &stale)),
		"read":     read[named](must(orders.ReadItem(background, key, "one", nil)).Value).Total,
		"deleted":  refusal(orders.DeleteItem(background, key, "one", nil)),
		"absent":   refusal(orders.ReadItem(background, key, "one", nil)),
	}
}

func patch(orders *azcosmos.ContainerClient) any {
	key := keyOf("zoe")
	must(orders.CreateItem(background, key, []byte(`{"id":"two","customer":"zoe","total":1,"old":true}`), nil))
	operations := azcosmos.PatchOperations{}
	operations.SetCondition("FROM c WHERE c.total = 1")
	operations.AppendIncrement("/total", 4)
	operations.AppendAdd("/tags", []string{"a"})
	operations.AppendRemove("/old")
	patched := read[map[string]any](must(orders.PatchItem(background, key, "two", operations, &withContent)).Value)
	_, isOldThere := patched["old"]
	refused := refusal(orders.PatchItem(background, key, "two", operations, nil))
	must(orders.DeleteItem(background, key, "two", nil))
	return map[string]any{"total": patched["total"], "tags": patched["tags"], "old": isOldThere, "refused": refused}
}

func batch(orders *azcosmos.ContainerClient) any {
	key := keyOf("zoe")
	one, two := written(named{"b1", "zoe", 1}), written(named{"b2", "zoe", 1})
	good := orders.NewTransactionalBatch(key)
	good.CreateItem(one, nil)
	good.UpsertItem(two, nil)
	good.ReadItem("b1", nil)
	bad := orders.NewTransactionalBatch(key)
	bad.DeleteItem("b1", nil)
	bad.CreateItem(two, nil)
	done := must(orders.ExecuteTransactionalBatch(background, good, nil))
	failed := must(orders.ExecuteTransactionalBatch(background, bad, nil))
	left := read[named](must(orders.ReadItem(background, key, "b1", nil)).Value).Total
	end := orders.NewTransactionalBatch(key)
	end.DeleteItem("b1", nil)
	end.DeleteItem("b2", nil)
	must(orders.ExecuteTransactionalBatch(background, end, nil))
	return map[string]any{"done": statuses(done), "failed": statuses(failed), "left": left}
}

func statuses(response azcosmos.TransactionalBatchResponse) []int32 {
	found := []int32{}
	for _, each := range response.OperationResults {
		found = append(found, each.StatusCode)
	}
	return found
}

func readMany(orders *azcosmos.ContainerClient, all []json.RawMessage) any {
	wanted := []azcosmos.ItemIdentity{{ID: "absent", PartitionKey: keyOf("ada")}}
	for place, each := range all {
		if place%2 == 0 {
			order := read[named](each)
			wanted = append(wanted, azcosmos.ItemIdentity{ID: order.ID, PartitionKey: keyOf(order.Customer)})
		}
	}
	return ids(must(orders.ReadManyItems(background, wanted, nil)).Items)
}

func hierarchical(database *azcosmos.DatabaseClient) any {
	create(database, "sessions", "/tenant", "/user", "/session")
	container := must(database.NewContainer("sessions"))
	key := func(tenant string, number int) azcosmos.PartitionKey {
		return keyOf(tenant).AppendString(fmt.Sprintf("u%d", number%2)).AppendString(fmt.Sprintf("s%d", number))
	}
	wanted := []azcosmos.ItemIdentity{}
	for _, tenant := range []string{"a", "b"} {
		for number := range 6 {
			id := fmt.Sprintf("%s%d", tenant, number)
			names := map[string]string{"id": id, "tenant": tenant, "user": fmt.Sprintf("u%d", number%2), "session": fmt.Sprintf("s%d", number)}
			must(container.CreateItem(background, key(tenant, number), written(names), nil))
			if tenant == "a" && number < 4 {
				wanted = append(wanted, azcosmos.ItemIdentity{ID: id, PartitionKey: key(tenant, number)})
			}
		}
	}
	// A key of this client has every level; of a prefix it leaves it to the filter.
	of := func(text string, key azcosmos.PartitionKey) []string {
		return ids(rawRows(container, text, key, azcosmos.QueryOptions{PageSizeHint: page}))
	}
	everywhere := azcosmos.NewPartitionKey()
	return map[string]any{
		"read":   read[map[string]any](must(container.ReadItem(background, key("a", 3), "a3", nil)).Value)["session"],
		"whole":  of("SELECT c.id FROM c", key("a", 3)),
		"prefix": of("SELECT c.id FROM c WHERE c.tenant = 'a' AND c.user = 'u1'", everywhere),
		"first":  of("SELECT c.id FROM c WHERE c.tenant = 'a'", everywhere),
		"many":   ids(must(container.ReadManyItems(background, wanted, nil)).Items),
	}
}
