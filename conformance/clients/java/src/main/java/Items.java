import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.models.CosmosBatch;
import com.azure.cosmos.models.CosmosBatchResponse;
import com.azure.cosmos.models.CosmosBulkOperations;
import com.azure.cosmos.models.CosmosItemOperation;
import com.azure.cosmos.models.CosmosItemRequestOptions;
import com.azure.cosmos.models.CosmosItemResponse;
import com.azure.cosmos.models.CosmosPatchItemRequestOptions;
import com.azure.cosmos.models.CosmosPatchOperations;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One document, and several at once. */
final class Items {
    private static final PartitionKey ZOE = new PartitionKey("zoe");

    static ObjectNode order(String id, int total) {
        return Program.JSON.createObjectNode().put("id", id).put("customer", "zoe").put("total", total);
    }

    static Object items(CosmosContainer orders) {
        CosmosItemResponse<ObjectNode> created = orders.createItem(order("one", 1), ZOE, null);
        int again = Program.refusal(() -> orders.createItem(order("one", 1), ZOE, null));
        int upserted = orders.upsertItem(order("one", 2), ZOE, null).getItem().get("total").asInt();
        int replaced = orders.replaceItem(order("one", 3), "one", ZOE, null).getItem().get("total").asInt();
        CosmosItemRequestOptions stale = new CosmosItemRequestOptions().setIfMatchETag(created.getETag());
        return Map.of(
            "created", created.getItem().get("total").asInt(),
            "again", again,
            "upserted", upserted,
            "replaced", replaced,
            "stale", Program.refusal(() -> orders.replaceItem(order("one", 4), "one", ZOE, stale)),
            "read", orders.readItem("one", ZOE, JsonNode.class).getItem().get("total").asInt(),
            "deleted", Program.refusal(() -> orders.deleteItem("one", ZOE, null)),
            "absent", Program.refusal(() -> orders.readItem("one", ZOE, JsonNode.class)));
    }

    static Object patch(CosmosContainer orders) {
        orders.createItem(order("two", 1).put("old", true), ZOE, null);
        CosmosPatchOperations operations =
            CosmosPatchOperations.create().increment("/total", 4).add("/tags", List.of("a")).remove("/old");
        CosmosPatchItemRequestOptions first =
            new CosmosPatchItemRequestOptions().setFilterPredicate("FROM c WHERE c.total = 1");
        JsonNode patched = orders.patchItem("two", ZOE, operations, first, JsonNode.class).getItem();
        int refused = Program.refusal(() -> orders.patchItem("two", ZOE, operations, first, JsonNode.class));
        orders.deleteItem("two", ZOE, null);
        return Map.of(
            "total", patched.get("total").asInt(), "tags", patched.get("tags"), "old", patched.has("old"), "refused", refused);
    }

    static Object batch(CosmosContainer orders) {
        CosmosBatch good = CosmosBatch.createCosmosBatch(ZOE);
        good.createItemOperation(order("b1", 1));
        good.upsertItemOperation(order("b2", 1));
        good.readItemOperation("b1");
        CosmosBatch bad = CosmosBatch.createCosmosBatch(ZOE);
        bad.deleteItemOperation("b1");
        bad.createItemOperation(order("b2", 1));
        CosmosBatch end = CosmosBatch.createCosmosBatch(ZOE);
        end.deleteItemOperation("b1");
        end.deleteItemOperation("b2");
        CosmosBatchResponse done = orders.executeCosmosBatch(good);
        CosmosBatchResponse failed = orders.executeCosmosBatch(bad);
        int left = orders.readItem("b1", ZOE, JsonNode.class).getItem().get("total").asInt();
        orders.executeCosmosBatch(end);
        return Map.of("done", statuses(done), "failed", statuses(failed), "left", left);
    }

    private static List<Integer> statuses(CosmosBatchResponse response) {
        return response.getResults().stream().map(each -> each.getStatusCode()).toList();
    }

    /** Over all ranges at once. */
    static Object bulk(CosmosContainer orders) {
        List<CosmosItemOperation> creates = new ArrayList<>();
        List<CosmosItemOperation> deletes = new ArrayList<>();
        for (int number = 0; number < 60; number += 1) {
            String customer = "bulk" + number;
            ObjectNode order = order("k" + number, 1).put("customer", customer);
            creates.add(CosmosBulkOperations.getCreateItemOperation(order, new PartitionKey(customer)));
            deletes.add(CosmosBulkOperations.getDeleteItemOperation("k" + number, new PartitionKey(customer)));
        }
        return List.of(distinctStatuses(orders, creates), distinctStatuses(orders, deletes));
    }

    private static List<Integer> distinctStatuses(CosmosContainer orders, List<CosmosItemOperation> operations) {
        List<Integer> found = new ArrayList<>();
        orders.executeBulkOperations(operations).forEach(each -> found.add(each.getResponse().getStatusCode()));
        if (found.size() != operations.size()) throw new IllegalStateException(found.size() + " answers");
        return found.stream().distinct().toList();
    }

    private Items() {}
}
