import { expect, test } from 'vitest';
import { geodesicLength } from './geodesic.ts';

/** Latitude and longitude of both points, and the length in metres. */
type Known = readonly [number, number, number, number, number];

test('[query 3.9] lengths are those of the published test set, to a hundred nanometres', () => {
  // C. F. F. Karney, the test cases of GeographicLib.
  const published: readonly Known[] = [
    [35.60777, -139.44815, -11.17491, -69.95921, 8935244.56048183],
    [55.52454, 106.05087, 77.03196, 197.18234, 4105086.171392441],
    [-21.97856, 142.59065, 41.84138, 98.56635, 8394328.894657671],
    [-66.99028, 112.2363, -12.70631, 285.90344, 11150344.231208025],
    [-17.42761, 173.34268, -15.84784, 5.93557, 16076603.163118068],
    [32.84994, 48.28919, -56.28556, 202.29132, 16727068.943816446],
    [6.96833, 52.74123, -7.39675, 206.17291, 17102477.249695837],
    [-68.82867, -74.28391, -50.63005, -8.36685, 3956936.926063544],
    [-19.79938, -174.47484, -11.99349, -154.35109, 2319004.860116939],
    [-87.85331, 85.66836, 66.48646, 16.09921, 17286615.314714465],
    [1.74708, 128.32011, -11.16617, 11.87109, 12942901.124134742],
    [-25.72959, -144.90758, -57.70581, -269.17879, 9413446.745245311],
  ];

  for (const known of published) expect(Math.abs(errorOf(known))).toBeLessThan(1e-7);
});

test('[query 3.9] between nearly opposite points too', () => {
  const published: readonly Known[] = [
    [88.202499451857, 0, -88.202499451857, 179.98102203299285, 20003898.214],
    [89.262080389218, 0, -89.262080389218, 179.99220798277537, 20003925.854],
    [89.333123580033, 0, -89.333123580033, 179.99295812360148, 20003926.881],
    [56.320923501171, 0, -56.320923501171, 179.6647476717729, 19993558.287],
    [52.784459512564, 0, -52.78445951256399, 179.6344074649438, 19991596.095],
    [48.522876735459, 0, -48.522876735458986, 179.59972045622308, 19989144.774],
    [31.394417440639, 0, -31.275540610835467, 179.6156016312029, 19980218.4055399],
    [0, 0, 0.5, 179.5, 19936288.578965],
    [0, 0, 0.5, 179.7, 19944127.42],
  ];

  for (const known of published) expect(Math.abs(errorOf(known))).toBeLessThan(1e-3);
});

test('[query 3.9] along the equator, over the poles and to the very other side', () => {
  expect(length(0, 0, 0, 1)).toBeCloseTo((6_378_137 * Math.PI) / 180, 6);
  expect(length(0, 0, 0, 179)).toBeCloseTo(19926188.852, 3);
  expect(length(0, 0, 0, 179.5)).toBeCloseTo(19980861.9089, 3);
  expect(length(0, 0, 0, 180)).toBeCloseTo(20003931.4586, 3);
  expect(length(0, 0, 1, 180)).toBeCloseTo(19893357.0701, 3);
  expect(length(90, 0, -90, 120)).toBeCloseTo(20003931.4586, 3);
  expect(length(90, 10, 89, -170)).toBeCloseTo(111693.8649, 3);
  expect(length(30, 12, -30, -168)).toBeCloseTo(20003931.4586, 3);
});

test('[query 3.9] between points that are near or the same', () => {
  expect(length(36.493349428792, 0, 36.49334942879201, 0.0000008)).toBeCloseTo(0.072, 3);
  expect(length(10, 20, 10, 20)).toBe(0);
  expect(length(10, 180, 10, -180)).toBe(0);
  expect(length(90, 0, 90, 77)).toBe(0);
  expect(length(0, 0, 1e-9, 0)).toBeCloseTo(1.10574e-4, 8);
});

function length(latitudeA: number, longitudeA: number, latitudeB: number, longitudeB: number): number {
  return geodesicLength({ latitude: latitudeA, longitude: longitudeA }, { latitude: latitudeB, longitude: longitudeB });
}

function errorOf([latitudeA, longitudeA, latitudeB, longitudeB, metres]: Known): number {
  return length(latitudeA, longitudeA, latitudeB, longitudeB) - metres;
}
