import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.CosmosChangeFeedRequestOptions;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The change feed, pulled. */
final class Changes {
    private static final FeedRange WHOLE = FeedRange.forFullRange();

    /** What was read, and where to go on. */
    private record Read(List<JsonNode> items, String token) {}

    static Object latest(CosmosContainer orders) {
        Read everything = read(orders, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(WHOLE));
        JsonNode late = Program.JSON.createObjectNode().put("id", "late").put("customer", "ada");
        orders.createItem(late);
        Read after = read(orders, CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(everything.token));
        FeedRange ada = FeedRange.forLogicalPartition(new PartitionKey("ada"));
        Read ofKey = read(orders, CosmosChangeFeedRequestOptions.createForProcessingFromBeginning(ada));
        orders.deleteItem("late", new PartitionKey("ada"), null);
        return Map.of("all", Queries.ids(everything.items), "late", Queries.ids(after.items), "key", Queries.ids(ofKey.items));
    }

    static Object versions(CosmosDatabase database) {
        ChangeFeedPolicy policy = ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(10));
        database.createContainer(new CosmosContainerProperties("versions", "/pk").setChangeFeedPolicy(policy));
        CosmosContainer container = database.getContainer("versions");
        CosmosChangeFeedRequestOptions fromNow = CosmosChangeFeedRequestOptions.createForProcessingFromNow(WHOLE);
        Read now = read(container, fromNow.allVersionsAndDeletes());
        container.createItem(version(1));
        container.upsertItem(version(2));
        container.deleteItem("v", new PartitionKey("a"), null);
        Read after = read(container, CosmosChangeFeedRequestOptions.createForProcessingFromContinuation(now.token));
        ArrayNode found = Program.JSON.createArrayNode();
        for (JsonNode each : after.items) {
            found.addArray().add(each.at("/metadata/operationType"))
                .add(each.at("/current/n")).add(each.at("/previous/n"));
        }
        return found;
    }

    private static JsonNode version(int number) {
        return Program.JSON.createObjectNode().put("id", "v").put("pk", "a").put("n", number);
    }

    private static Read read(CosmosContainer container, CosmosChangeFeedRequestOptions options) {
        List<JsonNode> found = new ArrayList<>();
        String token = null;
        options.setMaxItemCount(Program.PAGE);
        for (FeedResponse<JsonNode> page : container.queryChangeFeed(options, JsonNode.class).iterableByPage()) {
            found.addAll(page.getResults());
            token = page.getContinuationToken();
        }
        return new Read(found, token);
    }

    private Changes() {}
}
