// A program on azcosmos, as its users write them: it is given a task and prints a line of JSON for each of its checks.
//
// What the values should be is known to the test alone (../other-clients.test.ts).
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// Much smaller than the results, so that most of them come in several pages.
const page = 7

var background = context.Background()

type query struct {
	Name       string                    `json:"name"`
	Query      string                    `json:"query"`
	Parameters []azcosmos.QueryParameter `json:"parameters"`
	Key        *string                   `json:"key"`
	Container  string                    `json:"container"`
	Page       int32                     `json:"page"`
}

type task struct {
	Database string            `json:"database"`
	Orders   []json.RawMessage `json:"orders"`
	Queries  []query           `json:"queries"`
	Corpus   []query           `json:"corpus"`
}

type named struct {
	ID       string `json:"id"`
	Customer string `json:"customer"`
	Total    int    `json:"total"`
}

func main() {
	given := readTask(os.Args[1])
	credential := must(azcosmos.NewKeyCredential(os.Getenv("TIDEMARK_KEY")))
	client := must(azcosmos.NewClientWithKey(os.Getenv("TIDEMARK_ENDPOINT"), credential, nil))
	must(client.CreateDatabase(background, azcosmos.DatabaseProperties{ID: given.Database}, nil))
	database := must(client.NewDatabase(given.Database))
	create(database, "orders", "/customer")
	orders := must(database.NewContainer("orders"))

	check("databases", func() any { return databases(client, given.Database) })
	check("containers", func() any { return containers(database) })
	check("items", func() any { return items(orders) })
	check("patch", func() any { return patch(orders) })
	check("batch", func() any { return batch(orders) })
	for _, order := range given.Orders {
		must(orders.CreateItem(background, keyOf(read[named](order).Customer), order, nil))
	}
	for _, each := range given.Queries {
		check("query: "+each.Name, func() any { return rows(orders, each) })
	}
	check("pages", func() any { return pages(orders) })
	check("read many", func() any { return readMany(orders, given.Orders) })
	check("hierarchical key", func() any { return hierarchical(database) })
	check("metrics", func() any { return metrics(orders) })
	check("changes", func() any { return changes(orders) })
	check("throughput", func() any { return throughput(orders) })
	for _, each := range given.Corpus {
		container := must(client.NewContainer("db", each.Container))
		check("corpus: "+each.Name, func() any { return rows(container, each) })
	}
	check("deleted", func() any { return deleted(client, database) })
}

type line struct {
	Check string   `json:"check"`
	Value any      `json:"value"`
	Error *failure `json:"error,omitempty"`
}

type failure struct {
	Status  int    `json:"status,omitempty"`
	Message string `json:"message"`
}

// Whatever goes wrong within is the line of this check, and the others follow.
func check(name string, run func() any) {
	said := line{Check: name}
	func() {
		defer func() {
			if problem := recover(); problem != nil {
				said.Error = &failure{Status: statusOf(problem), Message: fmt.Sprint(problem)}
			}
		}()
		said.Value = run()
	}()
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if problem := encoder.Encode(said); problem != nil {
		panic(problem)
	}
}

func statusOf(problem any) int {
	var answer *azcore.ResponseError
	if wrong, isError := problem.(error); isError && errors.As(wrong, &answer) {
		return answer.StatusCode
	}
	return 0
}

func must[T any](value T, problem error) T {
	if problem != nil {
		panic(problem)
	}
	return value
}

// The status that a call was refused with; 0 where it was not.
func refusal[T any](_ T, problem error) int {
	return statusOf(problem)
}

func read[T any](text []byte) T {
	var value T
	if problem := json.Unmarshal(text, &value); problem != nil {
		panic(problem)
	}
	return value
}

func written(value any) []byte {
	return must(json.Marshal(value))
}

func readTask(path string) task {
	return read[task](must(os.ReadFile(path)))
}

func keyOf(customer string) azcosmos.PartitionKey {
	return azcosmos.NewPartitionKeyString(customer)
}

func ids(all [][]byte) []string {
	found := []string{}
	for _, each := range all {
		found = append(found, read[named](each).ID)
	}
	sort.Strings(found)
	return found
}
