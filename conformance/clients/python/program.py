"""A program on azure-cosmos, as its users write them: it is given a task and prints a line of JSON for each of its checks.

What the values should be is known to the test alone (../other-clients.test.ts).
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from azure.core import MatchConditions
from azure.cosmos import ContainerProxy, CosmosClient, DatabaseProxy, PartitionKey
from azure.cosmos.aio import CosmosClient as AsyncClient
from azure.cosmos.exceptions import CosmosBatchOperationError, CosmosHttpResponseError

ENDPOINT = os.environ["TIDEMARK_ENDPOINT"]
KEY = os.environ["TIDEMARK_KEY"]
# Much smaller than the results, so that most of them come in several pages.
PAGE = 7
RETENTION_MINUTES = 10


def check(name: str, run: Callable[[], Any]) -> None:
    try:
        print_line({"check": name, "value": run()})
    except CosmosHttpResponseError as error:
        print_line({"check": name, "error": {"status": error.status_code, "message": str(error)}})
    except Exception as error:  # pylint: disable=broad-except
        print_line({"check": name, "error": {"message": f"{type(error).__name__}: {error}"}})


def print_line(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def status_of(run: Callable[[], Any]) -> int:
    """The status that the call is refused with; 0 where it is not."""
    try:
        run()
    except CosmosHttpResponseError as error:
        return error.status_code
    return 0


def ids(items: Any) -> list[str]:
    return sorted(item["id"] for item in items)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        task = json.load(file)
    client = CosmosClient(ENDPOINT, credential=KEY)
    database = client.create_database(task["database"])
    orders = database.create_container("orders", PartitionKey("/customer"), offer_throughput=18_000)
    check("databases", lambda: databases(client, task["database"]))
    check("containers", lambda: containers(database))
    check("items", lambda: items(orders))
    check("patch", lambda: patch(orders))
    check("batch", lambda: batch(orders))
    for order in task["orders"]:
        orders.create_item(order)
    for query in task["queries"]:
        check(f"query: {query['name']}", lambda: rows_of(orders, query))
    asyncio.run(asynchronous(task))
    check("pages", lambda: pages(orders))
    check("read all", lambda: ids(orders.read_all_items(max_item_count=PAGE)))
    check("read many", lambda: read_many(orders, task["orders"]))
    check("feed ranges", lambda: feed_ranges(orders))
    check("hierarchical key", lambda: hierarchical(database))
    check("metrics", lambda: metrics(orders))
    check("changes", lambda: changes(orders))
    check("versions", lambda: versions(database))
    check("throughput", lambda: throughput(orders))
    corpus = client.get_database_client("db")
    for case in task["corpus"]:
        container = corpus.get_container_client(case["container"])
        check(f"corpus: {case['name']}", lambda: rows_of(container, case))
    check("deleted", lambda: deleted(client, database))


def databases(client: CosmosClient, name: str) -> Any:
    query = "SELECT VALUE d.id FROM d WHERE d.id = @id"
    return {
        "again": status_of(lambda: client.create_database(name)),
        "present": client.create_database_if_not_exists(name).id == name,
        "listed": name in ids(client.list_databases()),
        "found": list(client.query_databases(query, parameters=[{"name": "@id", "value": name}])),
        "absent": status_of(lambda: client.get_database_client("absent").read()),
    }


def containers(database: DatabaseProxy) -> Any:
    key = PartitionKey("/pk")
    database.create_container("settings", key)
    database.replace_container("settings", key, default_ttl=3600)
    return {
        "again": status_of(lambda: database.create_container("settings", key)),
        "listed": ids(database.list_containers()),
        "found": list(database.query_containers("SELECT VALUE c.id FROM c WHERE c.id = 'settings'")),
        "ttl": database.get_container_client("settings").read()["defaultTtl"],
        "removed": status_of(lambda: database.delete_container("settings")),
    }


def items(orders: ContainerProxy) -> Any:
    created = orders.create_item({"id": "one", "customer": "zoe", "total": 1})
    upserted = orders.upsert_item({"id": "one", "customer": "zoe", "total": 2})
    stale = {"etag": created["_etag"], "match_condition": MatchConditions.IfNotModified}
    replaced = orders.replace_item("one", {"id": "one", "customer": "zoe", "total": 3})
    return {
        "created": created["total"],
        "again": status_of(lambda: orders.create_item({"id": "one", "customer": "zoe"})),
        "upserted": upserted["total"],
        "replaced": replaced["total"],
        "stale": status_of(lambda: orders.replace_item("one", {"id": "one", "customer": "zoe"}, **stale)),
        "read": orders.read_item("one", "zoe")["total"],
        "deleted": status_of(lambda: orders.delete_item("one", "zoe")),
        "absent": status_of(lambda: orders.read_item("one", "zoe")),
    }


def patch(orders: ContainerProxy) -> Any:
    orders.create_item({"id": "two", "customer": "zoe", "total": 1, "old": True})
    operations = [
        {"op": "incr", "path": "/total", "value": 4},
        {"op": "add", "path": "/tags", "value": ["a"]},
        {"op": "remove", "path": "/old"},
    ]
    where = "FROM c WHERE c.total = "
    patched = orders.patch_item("two", "zoe", operations, filter_predicate=f"{where}1")
    refused = status_of(lambda: orders.patch_item("two", "zoe", operations[:1], filter_predicate=f"{where}1"))
    orders.delete_item("two", "zoe")
    return {"total": patched["total"], "tags": patched["tags"], "old": "old" in patched, "refused": refused}


def batch(orders: ContainerProxy) -> Any:
    one, two = ({"id": name, "customer": "zoe", "total": 1} for name in ("b1", "b2"))
    done = orders.execute_item_batch([("create", (one,)), ("upsert", (two,)), ("read", ("b1",))], "zoe")
    try:
        orders.execute_item_batch([("delete", ("b1",)), ("create", (two,))], "zoe")
        failed = []
    except CosmosBatchOperationError as error:
        failed = [each["statusCode"] for each in error.operation_responses]
    left = orders.read_item("b1", "zoe")["total"]
    orders.execute_item_batch([("delete", ("b1",)), ("delete", ("b2",))], "zoe")
    return {"done": [each["statusCode"] for each in done], "failed": failed, "left": left}


def rows_of(container: ContainerProxy, query: dict[str, Any]) -> list[Any]:
    return list(container.query_items(query["query"], max_item_count=query["page"], **scope_of(query)))


def scope_of(query: dict[str, Any]) -> dict[str, Any]:
    key = query.get("key")
    scope = {"enable_cross_partition_query": True} if key is None else {"partition_key": key}
    return {**scope, "parameters": query.get("parameters")}


async def asynchronous(task: dict[str, Any]) -> None:
    async with AsyncClient(ENDPOINT, credential=KEY) as client:
        container = client.get_database_client(task["database"]).get_container_client("orders")
        for query in task["queries"]:
            # It goes over partitions unless it is given one, and has no word for that.
            scope = {name: value for name, value in scope_of(query).items() if name != "enable_cross_partition_query"}
            try:
                found = container.query_items(query["query"], max_item_count=query["page"], **scope)
                rows = [row async for row in found]
                print_line({"check": f"async query: {query['name']}", "value": rows})
            except Exception as error:  # pylint: disable=broad-except
                print_line({"check": f"async query: {query['name']}", "error": {"message": str(error)}})


def pages(orders: ContainerProxy) -> Any:
    """Each page by an iterator of its own, which has nothing of the one before but its continuation."""
    found, sizes, token = [], [], None
    while True:
        query = orders.query_items("SELECT * FROM c", enable_cross_partition_query=True, max_item_count=PAGE)
        pager = query.by_page(token)
        # What is behind a token may turn out to be nothing.
        page = list(next(pager, []))
        found += page
        sizes.append(len(page))
        token = pager.continuation_token if page else None
        if token is None:
            return {"ids": ids(found), "within": max(sizes) <= PAGE}


def read_many(orders: ContainerProxy, all_orders: list[Any]) -> Any:
    wanted = [(order["id"], order["customer"]) for order in all_orders[::2]]
    return ids(orders.read_items([*wanted, ("absent", "ada")]))


def feed_ranges(orders: ContainerProxy) -> Any:
    ranges = list(orders.read_feed_ranges())
    found = [ids(orders.query_items("SELECT c.id FROM c", feed_range=each)) for each in ranges]
    return {"count": len(ranges), "ids": sorted(sum(found, []))}


def hierarchical(database: DatabaseProxy) -> Any:
    key = PartitionKey(["/tenant", "/user", "/session"], kind="MultiHash")
    container = database.create_container("sessions", key, offer_throughput=18_000)
    for tenant in ("a", "b"):
        for number in range(6):
            names = {"tenant": tenant, "user": f"u{number % 2}", "session": f"s{number}"}
            container.create_item({"id": f"{tenant}{number}", **names})
    query = "SELECT c.id FROM c"
    wanted = [(f"a{number}", ["a", f"u{number % 2}", f"s{number}"]) for number in range(4)]
    return {
        "read": container.read_item("a3", ["a", "u1", "s3"])["session"],
        "whole": ids(container.query_items(query, partition_key=["a", "u1", "s3"])),
        "prefix": ids(container.query_items(query, partition_key=["a", "u1"])),
        "first": ids(container.query_items(query, partition_key=["a"])),
        "many": ids(container.read_items(wanted)),
    }


def metrics(orders: ContainerProxy) -> Any:
    # Of one range: of several it keeps the headers of the last answer alone.
    options = {"populate_query_metrics": True, "populate_index_metrics": True, "partition_key": "ada"}
    found = orders.query_items("SELECT VALUE c.id FROM c WHERE c.total > 11", **options)
    count = len(list(found))
    headers = found.get_response_headers()
    figures = dict(each.split("=") for each in headers["x-ms-documentdb-query-metrics"].split(";"))
    return {
        "figures": len(figures),
        "rows": int(figures["outputDocumentCount"]) == count > 0,
        "charge": float(headers["x-ms-request-charge"]) > 0,
        # The client has decoded it.
        "index": sorted(headers["x-ms-cosmos-index-utilization"])[:1],
    }


def changes(orders: ContainerProxy) -> Any:
    def read(**start: Any) -> tuple[list[Any], str]:
        found: list[Any] = []
        for page in orders.query_items_change_feed(max_item_count=PAGE, **start).by_page():
            found += list(page)
        return found, orders.client_connection.last_response_headers["etag"]

    everything, token = read(start_time="Beginning")
    orders.create_item({"id": "late", "customer": "ada"})
    late, _ = read(continuation=token)
    of_key, _ = read(start_time="Beginning", partition_key="ada")
    orders.delete_item("late", "ada")
    return {"all": ids(everything), "late": ids(late), "key": ids(of_key)}


def versions(database: DatabaseProxy) -> Any:
    policy = {"retentionDuration": RETENTION_MINUTES}
    container = database.create_container("versions", PartitionKey("/pk"), change_feed_policy=policy)

    def read(**start: Any) -> tuple[list[Any], str]:
        found: list[Any] = []
        for page in container.query_items_change_feed(mode="AllVersionsAndDeletes", **start).by_page():
            found += list(page)
        return found, container.client_connection.last_response_headers["etag"]

    _, token = read(start_time="Now")
    container.create_item({"id": "v", "pk": "a", "n": 1})
    container.upsert_item({"id": "v", "pk": "a", "n": 2})
    container.delete_item("v", "a")
    found, _ = read(continuation=token)
    return [
        [each["metadata"]["operationType"], each["current"].get("n"), each.get("previous", {}).get("n")]
        for each in found
    ]


def throughput(orders: ContainerProxy) -> Any:
    before = orders.get_throughput().offer_throughput
    orders.replace_throughput(18_100)
    return [before, orders.get_throughput().offer_throughput]


def deleted(client: CosmosClient, database: DatabaseProxy) -> Any:
    database.delete_container("sessions")
    left = ids(database.list_containers())
    client.delete_database(database.id)
    return {"left": left, "listed": database.id in ids(client.list_databases())}


main()
