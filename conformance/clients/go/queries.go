package main

import (
	"encoding/base64"
	"encoding/json"
	"sort"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func rows(container *azcosmos.ContainerClient, asked query) any {
	key := azcosmos.NewPartitionKey()
	if asked.Key != nil {
		key = keyOf(*asked.Key)
	}
	found := []json.RawMessage{}
	for _, each := range rawRows(container, asked.Query, key, azcosmos.QueryOptions{PageSizeHint: asked.Page, QueryParameters: asked.Parameters}) {
		found = append(found, each)
	}
	return found
}

func rawRows(container *azcosmos.ContainerClient, text string, key azcosmos.PartitionKey, options azcosmos.QueryOptions) [][]byte {
	found := [][]byte{}
	pager := container.NewQueryItemsPager(text, key, &options)
	for pager.More() {
		found = append(found, must(pager.NextPage(background)).Items...)
	}
	return found
}

// Each page by a pager of its own, which has nothing of the one before but its continuation.
func pages(orders *azcosmos.ContainerClient) any {
	found := [][]byte{}
	isWithin := true
	options := azcosmos.QueryOptions{PageSizeHint: page}
	for {
		pager := orders.NewQueryItemsPager("SELECT * FROM c", azcosmos.NewPartitionKey(), &options)
		next := must(pager.NextPage(background))
		found = append(found, next.Items...)
		isWithin = isWithin && len(next.Items) <= page
		if next.ContinuationToken == nil {
			return map[string]any{"ids": ids(found), "within": isWithin}
		}
		options.ContinuationToken = next.ContinuationToken
	}
}

func metrics(orders *azcosmos.ContainerClient) any {
	options := azcosmos.QueryOptions{PopulateIndexMetrics: true}
	text := "SELECT VALUE c.id FROM c WHERE c.total > 20"
	first := must(orders.NewQueryItemsPager(text, azcosmos.NewPartitionKey(), &options).NextPage(background))
	figures := map[string]string{}
	for _, each := range strings.Split(*first.QueryMetrics, ";") {
		name, value, _ := strings.Cut(each, "=")
		figures[name] = value
	}
	indexes := []string{}
	for name := range read[map[string]any](must(base64.StdEncoding.DecodeString(*first.IndexMetrics))) {
		indexes = append(indexes, name)
	}
	sort.Strings(indexes)
	return map[string]any{
		"figures": len(figures),
		"rows":    figures["outputDocumentCount"] == string(written(len(first.Items))),
		"charge":  first.RequestCharge > 0,
		"index":   indexes[:1],
	}
}

func changes(orders *azcosmos.ContainerClient) any {
	readAll := func(options azcosmos.ChangeFeedOptions) ([][]byte, string) {
		found := [][]byte{}
		for {
			options.MaxItemCount = page
			next := must(orders.ReadChangeFeed(background, &options))
			if len(next.Items) == 0 {
				return found, next.ContinuationToken
			}
			found = append(found, next.Items...)
			options.Continuation = &next.ContinuationToken
		}
	}
	whole := azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}
	everything, token := readAll(azcosmos.ChangeFeedOptions{FeedRange: &whole})
	must(orders.CreateItem(background, keyOf("ada"), []byte(`{"id":"late","customer":"ada"}`), nil))
	late, _ := readAll(azcosmos.ChangeFeedOptions{Continuation: &token})
	ranges := must(orders.ReadFeedRanges(background, nil))
	ofRanges := [][]byte{}
	for _, each := range ranges {
		found, _ := readAll(azcosmos.ChangeFeedOptions{FeedRange: &each})
		ofRanges = append(ofRanges, found...)
	}
	must(orders.DeleteItem(background, keyOf("ada"), "late", nil))
	return map[string]any{
		"all":    ids(everything),
		"late":   ids(late),
		"ranges": len(ranges),
		"parts":  len(ofRanges) == len(everything)+1,
	}
}
