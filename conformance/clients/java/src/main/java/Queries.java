import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosItemIdentity;
import com.azure.cosmos.models.CosmosQueryRequestOptions;
import com.azure.cosmos.models.FeedRange;
import com.azure.cosmos.models.FeedResponse;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.PartitionKeyBuilder;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** Queries, and what the client makes queries of. */
final class Queries {
    static List<JsonNode> rows(CosmosContainer container, JsonNode query) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions();
        if (query.hasNonNull("key")) options.setPartitionKey(new PartitionKey(Program.text(query, "key")));
        List<JsonNode> found = new ArrayList<>();
        container.queryItems(specOf(query), options, JsonNode.class)
            .iterableByPage(query.get("page").asInt())
            .forEach(page -> found.addAll(page.getResults()));
        return found;
    }

    private static SqlQuerySpec specOf(JsonNode query) {
        List<SqlParameter> parameters = new ArrayList<>();
        for (JsonNode each : query.path("parameters")) {
            parameters.add(new SqlParameter(Program.text(each, "name"), each.get("value")));
        }
        return new SqlQuerySpec(Program.text(query, "query"), parameters);
    }

    static List<String> ids(Iterable<JsonNode> items) {
        return StreamSupport.stream(items.spliterator(), false).map(each -> Program.text(each, "id")).sorted().toList();
    }

    /** Each page by a query of its own, which has nothing of the one before but its continuation. */
    static Object pages(CosmosContainer orders) {
        List<JsonNode> found = new ArrayList<>();
        boolean isWithin = true;
        String token = null;
        do {
            FeedResponse<JsonNode> page =
                orders.queryItems("SELECT * FROM c", new CosmosQueryRequestOptions(), JsonNode.class)
                    .iterableByPage(token, Program.PAGE).iterator().next();
            found.addAll(page.getResults());
            isWithin = isWithin && page.getResults().size() <= Program.PAGE;
            token = page.getContinuationToken();
        } while (token != null);
        return Map.of("ids", ids(found), "within", isWithin);
    }

    static Object readMany(CosmosContainer orders, List<JsonNode> all) {
        List<CosmosItemIdentity> wanted = new ArrayList<>();
        for (int place = 0; place < all.size(); place += 2) {
            JsonNode order = all.get(place);
            wanted.add(new CosmosItemIdentity(new PartitionKey(Program.text(order, "customer")), Program.text(order, "id")));
        }
        wanted.add(new CosmosItemIdentity(new PartitionKey("ada"), "absent"));
        return ids(orders.readMany(wanted, JsonNode.class).getResults());
    }

    static Object readManyKeys(CosmosContainer orders) {
        List<PartitionKey> keys = List.of(new PartitionKey("ada"), new PartitionKey("ben"));
        return ids(orders.readManyByPartitionKeys(keys, JsonNode.class));
    }

    static Object feedRanges(CosmosContainer orders) {
        List<FeedRange> ranges = orders.getFeedRanges();
        List<JsonNode> found = new ArrayList<>();
        for (FeedRange range : ranges) {
            CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setFeedRange(range);
            orders.queryItems("SELECT c.id FROM c", options, JsonNode.class).forEach(found::add);
        }
        return Map.of("count", ranges.size(), "ids", ids(found));
    }

    static Object hierarchical(CosmosDatabase database) {
        CosmosContainer sessions = Resources.create(database, "sessions", 18_000, "/tenant", "/user", "/session");
        for (String tenant : List.of("a", "b")) {
            for (int number = 0; number < 6; number += 1) {
                JsonNode item = Program.JSON.createObjectNode().put("id", tenant + number).put("tenant", tenant)
                    .put("user", "u" + number % 2).put("session", "s" + number);
                sessions.createItem(item);
            }
        }
        List<CosmosItemIdentity> wanted = new ArrayList<>();
        for (int number = 0; number < 4; number += 1) {
            wanted.add(new CosmosItemIdentity(keyOf("a", "u" + number % 2, "s" + number), "a" + number));
        }
        return Map.of(
            "read", Program.text(sessions.readItem("a3", keyOf("a", "u1", "s3"), JsonNode.class).getItem(), "session"),
            "whole", idsOf(sessions, "a", "u1", "s3"),
            "prefix", idsOf(sessions, "a", "u1"),
            "first", idsOf(sessions, "a"),
            "many", ids(sessions.readMany(wanted, JsonNode.class).getResults()));
    }

    private static PartitionKey keyOf(String... values) {
        PartitionKeyBuilder builder = new PartitionKeyBuilder();
        for (String value : values) builder.add(value);
        return builder.build();
    }

    private static List<String> idsOf(CosmosContainer sessions, String... values) {
        CosmosQueryRequestOptions options = new CosmosQueryRequestOptions().setPartitionKey(keyOf(values));
        return ids(sessions.queryItems("SELECT c.id FROM c", options, JsonNode.class));
    }

    /** What the client has made of the figures in the answers is in its diagnostics. */
    static Object metrics(CosmosContainer orders) {
        CosmosQueryRequestOptions options =
            new CosmosQueryRequestOptions().setQueryMetricsEnabled(true).setIndexMetricsEnabled(true);
        int rows = 0;
        double charge = 0;
        String told = "";
        String query = "SELECT VALUE c.id FROM c WHERE c.total > 11";
        for (FeedResponse<JsonNode> page : orders.queryItems(query, options, JsonNode.class).iterableByPage()) {
            rows += page.getResults().size();
            charge += page.getRequestCharge();
            told += page.getCosmosDiagnostics();
        }
        int counted = 0;
        Matcher figures = Pattern.compile("\"outputDocumentCount\":(\\d+)").matcher(told);
        while (figures.find()) counted += Integer.parseInt(figures.group(1));
        return Map.of(
            "rows", counted == rows && rows > 0,
            "charge", charge > 0,
            "index", told.contains("\"PotentialSingleIndexes\""),
            "engine", told.contains("\"queryEngineExecutionTime\":\"PT") && !told.contains("\"PT-"));
    }

    private Queries() {}
}
