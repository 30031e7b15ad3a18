// Vectors of three numbers.

export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export function isSameVector(a: Vector, b: Vector): boolean {
  return a === b || (a.x === b.x && a.y === b.y && a.z === b.z);
}

export function sumOf(a: Vector, b: Vector): Vector {
  return { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z };
}

export function differenceOf(a: Vector, b: Vector): Vector {
  return { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z };
}

export function scaled(a: Vector, by: number): Vector {
  return { x: a.x * by, y: a.y * by, z: a.z * by };
}

export function dot(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

export function cross(a: Vector, b: Vector): Vector {
  return { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x };
}

export function lengthOf(a: Vector): number {
  return Math.sqrt(dot(a, a));
}

export function unitOf(a: Vector): Vector {
  return scaled(a, 1 / lengthOf(a));
}

export function squaredDistance(a: Vector, b: Vector): number {
  const x = a.x - b.x;
  const y = a.y - b.y;
  const z = a.z - b.z;
  return x * x + y * y + z * z;
}
