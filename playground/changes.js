// What would change between a prediction that was kept and a new one, by the id of the resource.
const identity = (resource) => resource.id ?? `${resource.type ?? ''}/${resource.name ?? ''}`;
const shown = (value) => (value === undefined ? 'nothing' : JSON.stringify(value));
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function differences(before, after, path, lines) {
    if (isObject(before) && isObject(after)) {
        for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
            differences(before[name], after[name], path ? `${path}.${name}` : name, lines);
        }
    } else if (JSON.stringify(before) !== JSON.stringify(after)) {
        lines.push(`${path}: ${shown(before)} → ${shown(after)}`);
    }
    return lines;
}

export function changes(before, after) {
    const known = new Map((before?.predictedResources ?? []).map((it) => [identity(it).toLowerCase(), it]));
    const found = after.predictedResources.map((resource) => {
        const id = identity(resource);
        const old = known.get(id.toLowerCase());
        known.delete(id.toLowerCase());
        if (!old) return { kind: 'create', id, lines: [] };
        const lines = differences(old, resource, '', []);
        return { kind: lines.length > 0 ? 'modify' : 'same', id, lines };
    });
    return [...found, ...[...known.values()].map((it) => ({ kind: 'delete', id: identity(it), lines: [] }))];
}
