import com.azure.cosmos.ChangeFeedProcessor;
import com.azure.cosmos.ChangeFeedProcessorBuilder;
import com.azure.cosmos.CosmosAsyncContainer;
import com.azure.cosmos.CosmosAsyncDatabase;
import com.azure.cosmos.models.ChangeFeedPolicy;
import com.azure.cosmos.models.ChangeFeedProcessorItem;
import com.azure.cosmos.models.ChangeFeedProcessorOptions;
import com.azure.cosmos.models.ChangeFeedProcessorState;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.PartitionKey;
import com.azure.cosmos.models.ThroughputProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** The change feed processor, in each of its modes: one host, two, the other one, none, and a third that goes on. */
final class Processors {
    enum Mode { CHANGES, LATEST, VERSIONS }

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(3);
    private static final Duration RENEWAL = Duration.ofMillis(500);
    private static final int RANGES = 3;
    private static final int DOCUMENTS = 12;

    private final Mode mode;
    private final CosmosAsyncContainer source;
    private final CosmosAsyncContainer leases;
    /** Host to what it was given: id, or for versions operation and id. */
    private final Map<String, Set<String>> seen = new ConcurrentHashMap<>();

    static Object run(CosmosAsyncDatabase database, Mode mode) {
        return new Processors(database, mode).run();
    }

    private Processors(CosmosAsyncDatabase database, Mode mode) {
        this.mode = mode;
        CosmosContainerProperties properties = new CosmosContainerProperties("source-" + mode, "/pk");
        if (mode == Mode.VERSIONS) {
            properties.setChangeFeedPolicy(ChangeFeedPolicy.createAllVersionsAndDeletesPolicy(Duration.ofMinutes(10)));
        }
        database.createContainer(properties, ThroughputProperties.createManualThroughput(6_000 * RANGES)).block();
        database.createContainer("leases-" + mode, "/id").block();
        source = database.getContainer("source-" + mode);
        leases = database.getContainer("leases-" + mode);
    }

    private Object run() {
        Map<String, Object> told = new TreeMap<>();
        ChangeFeedProcessor a = start("a");
        until("a has every range", () -> ownersOf(a).equals(Map.of("a", (long) RANGES)));
        // Without a start in the past a range begins where it is when it is first read.
        String begun = "SELECT VALUE c.id FROM c WHERE IS_STRING(c.ContinuationToken)";
        until("a has read every range", () -> fromLeases(begun).size() == RANGES);
        write("first");
        until("a has everything", () -> has("first", "a"));

        ChangeFeedProcessor b = start("b");
        until("both have ranges", () -> ownersOf(b).keySet().equals(Set.of("a", "b")));
        told.put("shared", ownersOf(b));
        write("second");
        until("both have everything", () -> has("second", "a", "b"));
        // Until it learns that a range was taken from it, a goes on with it, and b has the same once more.
        until("each has something", () -> !of("second", "a").isEmpty() && !of("second", "b").isEmpty());

        a.stop().block(PATIENCE);
        until("b has every range", () -> ownersOf(b).equals(Map.of("b", (long) RANGES)));
        // A renewal that is overtaken puts back how far its host was before (DocumentServiceLeaseUpdaterImpl). The next change mends it.
        until("b has everything and is behind by nothing", () -> {
            write("third");
            return isSoon(SOON, () -> has("third", "b") && lagOf(b) == 0);
        });
        b.stop().block(PATIENCE);
        // It does not wait for what is under way. A renewal among that undoes the release: then the range is free when its lease has
        // expired.
        until("b has ended", () -> {
            List<String> before = fromLeases("SELECT VALUE c._etag FROM c");
            pause(RENEWAL.multipliedBy(2));
            return fromLeases("SELECT VALUE c._etag FROM c").equals(before);
        });

        write("fourth");
        ChangeFeedProcessor c = start("c");
        until("c has everything", () -> has("fourth", "c"));
        c.stop().block(PATIENCE);
        told.put("again", of("first", "c").size() + of("second", "c").size());
        told.put("started", List.of(a.isStarted(), b.isStarted(), c.isStarted()));
        return told;
    }

    private ChangeFeedProcessor start(String host) {
        ChangeFeedProcessorOptions options = new ChangeFeedProcessorOptions()
            .setFeedPollDelay(Duration.ofMillis(100))
            .setLeaseAcquireInterval(Duration.ofMillis(300))
            .setLeaseRenewInterval(RENEWAL)
            .setLeaseExpirationInterval(Duration.ofSeconds(5))
            .setStartFromBeginning(mode != Mode.VERSIONS);
        ChangeFeedProcessorBuilder builder =
            new ChangeFeedProcessorBuilder().hostName(host).feedContainer(source).leaseContainer(leases).options(options);
        Set<String> given = seen.computeIfAbsent(host, name -> new ConcurrentSkipListSet<>());
        switch (mode) {
            case CHANGES -> builder.handleChanges(items -> items.forEach(each -> given.add(Program.text(each, "id"))));
            case LATEST -> builder.handleLatestVersionChanges(items -> items.forEach(each -> given.add(id(each.getCurrent()))));
            case VERSIONS -> builder.handleAllVersionsAndDeletesChanges((items, context) -> {
                if (context.getLeaseToken() == null) throw new IllegalStateException("There is no lease token.");
                items.forEach(each -> given.add(versionOf(each)));
            });
        }
        ChangeFeedProcessor processor = builder.buildChangeFeedProcessor();
        processor.start().block(PATIENCE);
        return processor;
    }

    private static String id(JsonNode item) {
        return Program.text(item, "id");
    }

    /** `first3 replace  2`: what a replace has replaced does not come, and of a delete the id comes in its metadata or with what was deleted. */
    private static String versionOf(ChangeFeedProcessorItem item) {
        JsonNode shown = item.getCurrent() != null && item.getCurrent().has("id") ? item.getCurrent() : item.getPrevious();
        String before = item.getPrevious() == null ? "" : item.getPrevious().path("n").asText();
        String after = item.getCurrent() == null ? "" : item.getCurrent().path("n").asText();
        return id(shown) + " " + item.getChangeFeedMetaData().getOperationType().name().toLowerCase() + " " + before + " " + after;
    }

    /** Of all versions each document has three. What was written may be written again. */
    private void write(String name) {
        for (int number = 0; number < DOCUMENTS; number += 1) {
            ObjectNode item = Program.JSON.createObjectNode().put("id", name + number).put("pk", "k" + number).put("n", 1);
            if (mode != Mode.VERSIONS) {
                source.upsertItem(item).block();
                continue;
            }
            source.createItem(item).block();
            source.upsertItem(item.put("n", 2)).block();
            source.deleteItem(name + number, new PartitionKey("k" + number)).block();
        }
    }

    private Set<String> of(String name, String... hosts) {
        Set<String> found = new TreeSet<>();
        for (String host : hosts) seen.get(host).stream().filter(each -> each.startsWith(name)).forEach(found::add);
        return found;
    }

    private boolean has(String name, String... hosts) {
        Set<String> wanted = new TreeSet<>();
        for (int number = 0; number < DOCUMENTS; number += 1) {
            if (mode != Mode.VERSIONS) wanted.add(name + number);
            else for (String rest : List.of(" create  1", " replace  2", " delete 2 ")) wanted.add(name + number + rest);
        }
        return of(name, hosts).equals(wanted);
    }

    private static Map<String, Long> ownersOf(ChangeFeedProcessor processor) {
        return processor.getCurrentState().block(PATIENCE).stream()
            .filter(each -> each.getHostName() != null)
            .collect(Collectors.groupingBy(ChangeFeedProcessorState::getHostName, Collectors.counting()));
    }

    private static int lagOf(ChangeFeedProcessor processor) {
        return processor.getCurrentState().block(PATIENCE).stream().mapToInt(ChangeFeedProcessorState::getEstimatedLag).sum();
    }

    private List<String> fromLeases(String query) {
        return leases.queryItems(query, String.class).collectSortedList().block(PATIENCE);
    }

    private void until(String what, BooleanSupplier isSo) {
        if (!isSoon(PATIENCE, isSo)) throw new IllegalStateException("In vain: " + what + "; seen: " + seen);
    }

    private static boolean isSoon(Duration patience, BooleanSupplier isSo) {
        long end = System.nanoTime() + patience.toNanos();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() > end) return false;
            pause(Duration.ofMillis(50));
        }
        return true;
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
