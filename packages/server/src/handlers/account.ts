// The account: what a client asks for first, to learn where it may read and write.

import { header } from '@tidemark/model';
import { chargeMin } from '../charge.ts';
import { endpointOf } from '../endpoint.ts';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import type { CosmosResponse } from '../response.ts';

/**
 * Wire: clients send everything else to the endpoints named here, so they are the one that the client used; the JavaScript
 * client ignores them when the id is "localhost" and stays where it is (wire 2).
 */
export function readAccount(request: CosmosRequest, { publicUrl, consistency }: HandlerContext): CosmosResponse {
  const locations = [{ name: 'Local', databaseAccountEndpoint: publicUrl ?? endpointOf(request) }];
  const account = {
    _self: '',
    id: 'localhost',
    _rid: 'localhost',
    media: '//media/',
    addresses: '//addresses/',
    _dbs: '//dbs/',
    writableLocations: locations,
    readableLocations: locations,
    enableMultipleWriteLocations: false,
    enablePerPartitionFailoverBehavior: false,
    continuousBackupEnabled: false,
    enableNRegionSynchronousCommit: false,
    userReplicationPolicy: { asyncReplication: false, minReplicaSetSize: 1, maxReplicasetSize: 4 },
    userConsistencyPolicy: { defaultConsistencyLevel: consistency },
    systemReplicationPolicy: { minReplicaSetSize: 1, maxReplicasetSize: 4 },
    readPolicy: { primaryReadCoefficient: 1, secondaryReadCoefficient: 1 },
    queryEngineConfiguration: JSON.stringify(queryEngineConfiguration),
  };
  // Wire: the oldest client's tests look for these two.
  const headers = [header.mediaStorageMax, '2048', header.mediaStorageUsed, '0'];
  return { status: 200, charge: chargeMin, headers, body: Buffer.from(JSON.stringify(account)) };
}

/** Wire: JSON inside a string. Clients in other languages plan their queries by it (wire 2). */
const queryEngineConfiguration = {
  maxSqlQueryInputLength: 262_144,
  maxJoinsPerSqlQuery: 5,
  maxLogicalAndPerSqlQuery: 2_000,
  maxLogicalOrPerSqlQuery: 2_000,
  maxUdfRefPerSqlQuery: 10,
  maxInExpressionItemsCount: 16_000,
  queryMaxInMemorySortDocumentCount: 500,
  maxQueryRequestTimeoutFraction: 0.9,
  sqlAllowNonFiniteNumbers: false,
  sqlAllowAggregateFunctions: true,
  sqlAllowSubQuery: true,
  sqlAllowScalarSubQuery: true,
  allowNewKeywords: true,
  sqlAllowLike: true,
  sqlAllowGroupByClause: true,
  maxSpatialQueryCells: 12,
  spatialMaxGeometryPointCount: 256,
  sqlDisableOptimizationFlags: 0,
  sqlAllowTop: true,
  enableSpatialIndexing: true,
};
