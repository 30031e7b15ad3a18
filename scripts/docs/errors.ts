import { errorCodes, errorMeanings } from '@tidemark/model';
import { statusOf } from '../../packages/server/src/status.ts';
import { code, table } from './table.ts';

export function errorsPart(): string {
  const rows = errorCodes.map((name) => {
    const { status, substatus, name: wireName } = statusOf[name];
    const onWire = substatus === undefined ? String(status) : `${status}/${substatus}`;
    return [code(name), onWire, code(wireName), errorMeanings[name]];
  });
  return table(['code', 'HTTP', 'in the body', 'meaning'], rows);
}
