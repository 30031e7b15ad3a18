import com.azure.cosmos.CosmosClient;
import com.azure.cosmos.CosmosContainer;
import com.azure.cosmos.CosmosDatabase;
import com.azure.cosmos.models.CosmosContainerProperties;
import com.azure.cosmos.models.CosmosDatabaseProperties;
import com.azure.cosmos.models.PartitionKeyDefinition;
import com.azure.cosmos.models.PartitionKeyDefinitionVersion;
import com.azure.cosmos.models.PartitionKind;
import com.azure.cosmos.models.SqlParameter;
import com.azure.cosmos.models.SqlQuerySpec;
import com.azure.cosmos.models.ThroughputProperties;
import java.util.List;
import java.util.Map;

/** Databases, containers and their throughput. */
final class Resources {
    static CosmosContainer create(CosmosDatabase database, String id, int throughput, String... paths) {
        CosmosContainerProperties properties = new CosmosContainerProperties(id, keyOf(paths));
        database.createContainer(properties, ThroughputProperties.createManualThroughput(throughput));
        return database.getContainer(id);
    }

    private static PartitionKeyDefinition keyOf(String... paths) {
        return new PartitionKeyDefinition()
            .setPaths(List.of(paths))
            .setKind(paths.length > 1 ? PartitionKind.MULTI_HASH : PartitionKind.HASH)
            .setVersion(PartitionKeyDefinitionVersion.V2);
    }

    static Object databases(CosmosClient client, String name) {
        SqlQuerySpec query = new SqlQuerySpec("SELECT * FROM d WHERE d.id = @id", new SqlParameter("@id", name));
        List<String> found = client.queryDatabases(query, null).stream().map(CosmosDatabaseProperties::getId).toList();
        return Map.of(
            "again", Program.refusal(() -> client.createDatabase(name)),
            "present", client.createDatabaseIfNotExists(name).getStatusCode() == 200,
            "listed", isListed(client, name),
            "found", found,
            "absent", Program.refusal(() -> client.getDatabase("absent").read()));
    }

    private static boolean isListed(CosmosClient client, String name) {
        return client.readAllDatabases().stream().anyMatch(each -> each.getId().equals(name));
    }

    static Object containers(CosmosDatabase database) {
        CosmosContainerProperties properties = new CosmosContainerProperties("settings", "/pk");
        database.createContainer(properties);
        CosmosContainer settings = database.getContainer("settings");
        settings.replace(settings.read().getProperties().setDefaultTimeToLiveInSeconds(3600));
        return Map.of(
            "again", Program.refusal(() -> database.createContainer(properties)),
            "listed", listed(database),
            "found", idsOf(database, "SELECT * FROM c WHERE c.id = 'settings'"),
            "ttl", settings.read().getProperties().getDefaultTimeToLiveInSeconds(),
            "removed", Program.refusal(settings::delete));
    }

    private static List<String> idsOf(CosmosDatabase database, String query) {
        return database.queryContainers(query).stream().map(CosmosContainerProperties::getId).toList();
    }

    private static List<String> listed(CosmosDatabase database) {
        return database.readAllContainers().stream().map(CosmosContainerProperties::getId).sorted().toList();
    }

    static Object throughput(CosmosContainer orders) {
        int before = orders.readThroughput().getProperties().getManualThroughput();
        orders.replaceThroughput(ThroughputProperties.createManualThroughput(18_100));
        return List.of(before, orders.readThroughput().getProperties().getManualThroughput());
    }

    static Object deleted(CosmosClient client, CosmosDatabase database) {
        database.getContainer("sessions").delete();
        boolean isSessionLeft = listed(database).contains("sessions");
        String name = database.getId();
        database.delete();
        return Map.of("left", isSessionLeft, "listed", isListed(client, name));
    }

    private Resources() {}
}
