/** One value for each owner, made when it is first asked for and gone with the owner. */
export function oneFor<K extends object, V>(make: (owner: K) => V): (owner: K) => V {
  const values = new WeakMap<K, V>();
  return (owner) => {
    let value = values.get(owner);
    if (value === undefined) {
      value = make(owner);
      values.set(owner, value);
    }
    return value;
  };
}
