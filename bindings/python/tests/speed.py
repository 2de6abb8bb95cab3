"""How fast dicts are checked, beside jsonschema-rs on the same schema and values, as a ratio."""

import statistics
import time

import jsonschema_rs

import tendon

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^o-[0-9]+$"},
        "currency": {"enum": ["EUR", "USD", "CHF"]},
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "minLength": 3, "maxLength": 20},
                    "quantity": {"type": "integer", "minimum": 1, "maximum": 1000},
                    "price": {"type": "number", "exclusiveMinimum": 0},
                    "notes": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["sku", "quantity"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["id", "items"],
}


def order(items, last=1):
    rows = [
        {"sku": f"SKU-{at}", "quantity": at % 1000 + 1, "price": at + 0.5, "notes": {"gift": "yes", "note": "short"}}
        for at in range(items)
    ]
    rows[-1]["quantity"] = last
    return {"id": "o-77", "currency": "EUR", "items": rows}


def timed(check, value, rounds):
    times = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(rounds):
            check(value)
        times.append((time.perf_counter() - start) / rounds)
    return min(times)


def main():
    peer = jsonschema_rs.validator_for(SCHEMA)
    ours = tendon.Contract(SCHEMA)
    ratios = []
    for name, value, rounds in [
        ("1 item", order(1), 20_000),
        ("20 items", order(20), 2_000),
        ("1,000 items", order(1_000), 50),
        ("1,000 items, the last one wrong", order(1_000, 0), 50),
    ]:
        assert peer.is_valid(value) == ours.is_valid(value)
        theirs, own = timed(peer.is_valid, value, rounds), timed(ours.is_valid, value, rounds)
        ratios.append(theirs / own)
        print(f"{name:<34} tendon {own * 1e6:9.1f} us   jsonschema-rs {theirs * 1e6:9.1f} us   {theirs / own:5.2f} times as fast")
    print(f"geometric mean of the ratios: {statistics.geometric_mean(ratios):.2f}")


main()
