import com.azure.cosmos.CosmosAsyncClient;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosClientBuilder;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.CosmosException;
import com.azure.cosmos.models.PartitionKey;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * A program on azure-cosmos, as its users write them: it is given a task and prints a line of JSON for each of its checks.
 *
 * <p>What the values should be is known to the test alone (other-clients.test.ts).
 */
public final class Program {
    static final ObjectMapper JSON = new ObjectMapper();

    /** Much smaller than the results, so that most of them come in several pages. */
    static final int PAGE = 7;

    public static void main(String[] args) throws Exception {
        JsonNode task = JSON.readTree(new File(args[0]));
        try (CosmosClient client = builder().buildClient(); CosmosAsyncClient async = builder().buildAsyncClient()) {
            run(task, client, async);
        }
        // Threads of the client that are no daemons would keep the process.
        System.exit(0);
    }

    private static CosmosClientBuilder builder() {
        return new CosmosClientBuilder()
            .endpoint(System.getenv("TIDEMARK_ENDPOINT"))
            .key(System.getenv("TIDEMARK_KEY"))
            .gatewayMode()
            .contentResponseOnWriteEnabled(true);
    }

    private static void run(JsonNode task, CosmosClient client, CosmosAsyncClient async)
        throws InterruptedException {
        String name = task.get("database").asText();
        client.createDatabase(name);
        CosmosDatabase database = client.getDatabase(name);
        CosmosContainer orders = Resources.create(database, "orders", 18_000, "/customer");
        List<JsonNode> all = list(task.get("orders"));
        check("databases", () -> Resources.databases(client, name));
        check("containers", () -> Resources.containers(database));
        check("items", () -> Items.items(orders));
        check("patch", () -> Items.patch(orders));
        check("batch", () -> Items.batch(orders));
        for (JsonNode order : all) orders.createItem(order, new PartitionKey(order.get("customer").asText()), null);
        for (JsonNode query : task.get("queries")) check("query: " + text(query, "name"), () -> Queries.rows(orders, query));
        check("pages", () -> Queries.pages(orders));
        check("read all", () -> Queries.ids(orders.queryItems("SELECT * FROM c", null, JsonNode.class)));
        check("read all of a key", () -> Queries.ids(orders.readAllItems(new PartitionKey("ada"), JsonNode.class)));
        check("read many", () -> Queries.readMany(orders, all));
        check("read many keys", () -> Queries.readManyKeys(orders));
        check("feed ranges", () -> Queries.feedRanges(orders));
        check("hierarchical key", () -> Queries.hierarchical(database));
        check("metrics", () -> Queries.metrics(orders));
        check("changes", () -> Changes.latest(orders));
        check("versions", () -> Changes.versions(database));
        check("bulk", () -> Items.bulk(orders));
        check("throughput", () -> Resources.throughput(orders));
        CosmosDatabase corpus = client.getDatabase("db");
        for (JsonNode each : task.get("corpus")) {
            CosmosContainer container = corpus.getContainer(text(each, "container"));
            check("corpus: " + text(each, "name"), () -> Queries.rows(container, each));
        }
        processors(async.getDatabase(name));
        check("deleted", () -> Resources.deleted(client, database));
    }

    /** All modes at once: they mostly wait. */
    private static void processors(CosmosAsyncDatabase database) throws InterruptedException {
        List<Thread> threads = Stream.of(Processors.Mode.values())
            .map(mode -> new Thread(() -> check("processor: " + mode, () -> Processors.run(database, mode))))
            .toList();
        threads.forEach(Thread::start);
        for (Thread each : threads) each.join();
    }

    /** Whatever goes wrong within is the line of this check, and the others follow. */
    static void check(String name, Callable<Object> run) {
        ObjectNode line = JSON.createObjectNode().put("check", name);
        try {
            line.set("value", JSON.valueToTree(run.call()));
        } catch (Throwable problem) {
            ObjectNode error = line.putObject("error").put("message", problem.toString());
            // Its other text has everything that is known of the client.
            if (problem instanceof CosmosException answer) {
                error.put("status", answer.getStatusCode()).put("message", answer.getShortMessage());
            }
        }
        System.out.println(line);
    }

    /** The status that a call is refused with; 0 where it is not. */
    static int refusal(Runnable call) {
        try {
            call.run();
            return 0;
        } catch (CosmosException problem) {
            return problem.getStatusCode();
        }
    }

    static String text(JsonNode node, String member) {
        return node.get(member).asText();
    }

    static List<JsonNode> list(Iterable<JsonNode> nodes) {
        List<JsonNode> found = new ArrayList<>();
        nodes.forEach(found::add);
        return found;
    }

    private Program() {}
}
