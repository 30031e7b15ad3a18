import { expect, test } from 'vitest';
import { allRows } from '../../test/all-pages.ts';
import { prepareQuery } from '../query.ts';

const documents = [
  { id: 'far', v: [-1, 0] },
  { id: 'near', v: [1, 0.1] },
  { id: 'across', v: [0, 3] },
];

test('[query 3.10] the most similar vectors come first, by whatever measure', () => {
  const near = ['near', 'across', 'far'];

  expect(order('VectorDistance(c.v, [1, 0])')).toEqual(near);
  expect(order('vectordistance([1, 0], c.v, false)')).toEqual(near);
  expect(order("VectorDistance(c.v, [1, 0], false, {distanceFunction: 'DotProduct'})")).toEqual(near);
  expect(order("VectorDistance(c.v, [1, 0], false, {dataType: 'Float32'})")).toEqual(near);
  expect(order("VectorDistance(c.v, [1, 0], false, {distanceFunction: 'Euclidean'})")).toEqual([
    'near',
    'far',
    'across',
  ]);
});

test('[query 3.10] a direction, or a measure that only the parameters have, is refused', () => {
  const query = 'SELECT * FROM c ORDER BY VectorDistance(c.v, [1], false';

  expect(() => prepareQuery(`${query}) DESC`, [])).toThrow('has no direction');
  expect(() => prepareQuery(`${query}, @options)`, ['@options'])).toThrow('must be written out');
  expect(() => prepareQuery(`${query}, {distanceFunction: @measure})`, ['@measure'])).toThrow('must be written out');
});

function order(distance: string): readonly unknown[] {
  return allRows({ query: `SELECT VALUE c.id FROM c ORDER BY ${distance}`, documents });
}
