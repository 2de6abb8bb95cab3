//! Every statement, with the types of its parameters.
//!
//! `@` stands for the schema, `NOW` for the clock of the database in milliseconds. Types are always given, so that a statement
//! takes one trip and leaves nothing in the session.
//!
//! Locks are taken in one order by all: deployments by scope and name, leases by run, resources by key, and then rows that are new, in the
//! same order. Who waits for a lock has therefore nothing that those before it wait for.

use tokio_postgres::types::Type;

/// A statement as text, with the types of its parameters.
#[derive(Debug)]
pub(super) struct Query {
    text: &'static str,
    pub(super) types: &'static [Type],
}

/// The clock. It goes on within a transaction, unlike `now()`: a transaction may have waited for locks.
const CLOCK: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

impl Query {
    /// The statement for a schema.
    pub(super) fn for_schema(&self, schema: &str) -> String {
        self.text.replace('@', &format!("\"{schema}\".")).replace("NOW", CLOCK)
    }

    /// What the statement is known by.
    pub(super) fn name(&self) -> &'static str {
        self.text
    }
}

/// The next part of the cursor that is open. What it answers differs, so it is never prepared.
pub(super) static FETCH: Query = Query { text: "FETCH 200 FROM export", types: &[] };

macro_rules! queries {
    ($($(#[$doc:meta])* $name:ident($($type:ident),*) = $text:expr;)*) => {
        $(
            $(#[$doc])*
            pub(super) static $name: Query = {
                static TYPES: &[Type] = &[$(Type::$type),*];
                Query { text: $text, types: TYPES }
            };
        )*

        /// All statements, by which they can be prepared or checked together.
        pub(super) static ALL: &[&Query] = &[$(&$name),*];
    };
}

macro_rules! deployment {
    ($rest:literal) => {
        concat!("SELECT d.scope, d.name, d.run, d.root, d.active, d.ordinal, d.format, d.body FROM @deployments d ", $rest)
    };
}

macro_rules! resource {
    ($rest:literal) => {
        concat!("SELECT id, version, format, body FROM @resources ", $rest)
    };
}

queries! {
    // Whether the database takes writes: a row that no run has, which is there once.
    PROBE() =
        "INSERT INTO @batches (run, number) VALUES ('00000000-0000-0000-0000-000000000000', 0)
         ON CONFLICT (run, number) DO UPDATE SET number = excluded.number";
    // What a group of batches is decided by, under locks.
    LOCK_DEPLOYMENTS(TEXT_ARRAY, TEXT_ARRAY) =
        "SELECT d.scope, d.name, d.run, d.active FROM unnest($1, $2) AS k (scope, name)
         JOIN @deployments d ON d.scope = k.scope AND d.name = k.name ORDER BY d.scope, d.name FOR UPDATE OF d";
    LOCK_LEASES(UUID_ARRAY) =
        "SELECT l.run, l.fence FROM @leases l WHERE l.run = ANY ($1) AND l.owner IS NOT NULL ORDER BY l.run FOR UPDATE";
    LOCK_RESOURCES(TEXT_ARRAY) =
        "SELECT r.key, r.version FROM @resources r WHERE r.key = ANY ($1) ORDER BY r.key FOR UPDATE";
    // Who deletes one of them waits for those who need it, and they for it.
    SHARE_RESOURCES(TEXT_ARRAY) =
        "SELECT r.key, r.version FROM @resources r WHERE r.key = ANY ($1) ORDER BY r.key FOR KEY SHARE";
    LIKES(TEXT_ARRAY, TEXT_ARRAY, TEXT_ARRAY, INT8_ARRAY) =
        "SELECT k.number - 1, f.key FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS k (below, upto, part, enough, number)
         CROSS JOIN LATERAL (
             SELECT r.key FROM @resources r
             WHERE r.key >= k.below AND (k.upto IS NULL OR r.key < k.upto) AND strpos(r.key, k.part) > 0 LIMIT k.enough
         ) f";
    KNOWN_BATCHES(UUID_ARRAY, INT8_ARRAY) =
        "SELECT b.run, b.number FROM unnest($1, $2) AS k (run, number)
         JOIN @batches b ON b.run = k.run AND b.number = k.number";

    FORGOTTEN(UUID_ARRAY) = "SELECT run FROM @forgotten WHERE run = ANY ($1)";

    // What a group of batches changes.
    FORGET(UUID_ARRAY) =
        "WITH s AS (DELETE FROM @steps WHERE run = ANY ($1)),
              o AS (DELETE FROM @operations WHERE run = ANY ($1)),
              b AS (DELETE FROM @blobs WHERE run = ANY ($1)),
              n AS (DELETE FROM @batches WHERE run = ANY ($1))
         DELETE FROM @leases WHERE run = ANY ($1)";
    REMEMBER(UUID_ARRAY, INT8) =
        "WITH old AS (
             DELETE FROM @forgotten WHERE run IN (
                 SELECT run FROM @forgotten WHERE at < NOW - $2 ORDER BY at LIMIT 1000 FOR UPDATE SKIP LOCKED
             )
         )
         INSERT INTO @forgotten (run, at) SELECT k.run, NOW FROM unnest($1) AS k (run) ON CONFLICT (run) DO UPDATE SET at = excluded.at";
    DELETE_DEPLOYMENTS(TEXT_ARRAY, TEXT_ARRAY) =
        "DELETE FROM @deployments d USING unnest($1, $2) AS k (scope, name)
         WHERE d.scope = k.scope AND d.name = k.name";
    INSERT_DEPLOYMENTS(TEXT_ARRAY, TEXT_ARRAY, UUID_ARRAY, UUID_ARRAY, BOOL_ARRAY, INT8_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "INSERT INTO @deployments (scope, name, run, root, active, ordinal, format, body)
         SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)";
    UPDATE_DEPLOYMENTS(TEXT_ARRAY, TEXT_ARRAY, UUID_ARRAY, UUID_ARRAY, BOOL_ARRAY, INT8_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "UPDATE @deployments d SET run = k.run, root = k.root, active = k.active, ordinal = k.ordinal, format = k.format, body = k.body
         FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) AS k (scope, name, run, root, active, ordinal, format, body)
         WHERE d.scope = k.scope AND d.name = k.name";
    PUT_LEASES(UUID_ARRAY, TEXT_ARRAY, INT8_ARRAY) =
        "INSERT INTO @leases (run, owner, fence, until, canceled)
         SELECT k.run, k.owner, 1, NOW + k.milliseconds, false FROM unnest($1, $2, $3) AS k (run, owner, milliseconds)
         ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = 1, until = excluded.until, canceled = false";
    PUT_STEPS(UUID_ARRAY, INT8_ARRAY, INT2_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "INSERT INTO @steps (run, number, phase, format, body) SELECT * FROM unnest($1, $2, $3, $4, $5)
         ON CONFLICT (run, number) DO UPDATE SET phase = excluded.phase, format = excluded.format, body = excluded.body";
    PUT_OPERATIONS(UUID_ARRAY, INT8_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "INSERT INTO @operations (run, number, format, body) SELECT * FROM unnest($1, $2, $3, $4)
         ON CONFLICT (run, number) DO UPDATE SET format = excluded.format, body = excluded.body";
    PUT_BLOBS(UUID_ARRAY, TEXT_ARRAY, BYTEA_ARRAY) =
        "INSERT INTO @blobs (run, name, bytes) SELECT * FROM unnest($1, $2, $3)
         ON CONFLICT (run, name) DO UPDATE SET bytes = excluded.bytes";
    DELETE_BLOBS(UUID_ARRAY, TEXT_ARRAY) =
        "DELETE FROM @blobs b USING unnest($1, $2) AS k (run, name) WHERE b.run = k.run AND b.name = k.name";
    REPLACE_BLOB(UUID, TEXT, BYTEA, BYTEA) =
        "UPDATE @blobs SET bytes = $4 WHERE run = $1 AND name = $2 AND bytes = $3 RETURNING run";
    DELETE_RESOURCES(TEXT_ARRAY) = "DELETE FROM @resources WHERE key = ANY ($1)";
    INSERT_RESOURCES(TEXT_ARRAY, TEXT_ARRAY, INT8_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "INSERT INTO @resources (key, id, version, format, body) SELECT * FROM unnest($1, $2, $3, $4, $5)";
    UPDATE_RESOURCES(TEXT_ARRAY, TEXT_ARRAY, INT8_ARRAY, INT4_ARRAY, TEXT_ARRAY) =
        "UPDATE @resources r SET id = k.id, version = k.version, format = k.format, body = k.body
         FROM unnest($1, $2, $3, $4, $5) AS k (key, id, version, format, body) WHERE r.key = k.key";
    INSERT_BATCHES(UUID_ARRAY, INT8_ARRAY) =
        "INSERT INTO @batches (run, number) SELECT * FROM unnest($1, $2)";

    // Leases. The row of the deployment is locked before that of the lease, so that it cannot end meanwhile.
    CLAIM(UUID, TEXT, INT8) =
        "WITH d AS MATERIALIZED (SELECT run FROM @deployments WHERE run = $1 AND active FOR SHARE)
         INSERT INTO @leases AS l (run, owner, fence, until, canceled) SELECT d.run, $2, 1, NOW + $3, false FROM d
         ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = l.fence + 1, until = NOW + $3
         WHERE l.owner IS NULL OR l.until <= NOW
         RETURNING l.run, l.fence, l.until, l.canceled";
    HOLDER(UUID) =
        "SELECT l.owner, l.until - NOW FROM @deployments d LEFT JOIN @leases l ON l.run = d.run
         WHERE d.run = $1 AND d.active";
    CLAIM_ABANDONED(TEXT, INT8, INT8) =
        "WITH free AS MATERIALIZED (
             SELECT d.* FROM @deployments d LEFT JOIN @leases l ON l.run = d.run
             WHERE d.active AND d.run = d.root AND (l.owner IS NULL OR l.until <= NOW)
             ORDER BY d.ordinal LIMIT $3 FOR UPDATE OF d SKIP LOCKED
         ), taken AS (
             INSERT INTO @leases AS l (run, owner, fence, until, canceled)
             SELECT free.run, $1, 1, NOW + $2, false FROM free ORDER BY free.run
             ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = l.fence + 1, until = NOW + $2
             WHERE l.owner IS NULL OR l.until <= NOW
             RETURNING l.run, l.fence, l.until, l.canceled
         )
         SELECT d.scope, d.name, d.run, d.root, d.active, d.ordinal, d.format, d.body, t.fence, t.until, t.canceled
         FROM free d JOIN taken t ON t.run = d.run ORDER BY d.ordinal, d.run";
    RENEW(UUID_ARRAY, INT8_ARRAY, INT8) =
        "WITH held AS MATERIALIZED (
             SELECT l.run FROM unnest($1, $2) AS k (run, fence) JOIN @leases l ON l.run = k.run AND l.fence = k.fence
             WHERE l.owner IS NOT NULL ORDER BY l.run FOR UPDATE OF l
         )
         UPDATE @leases l SET until = NOW + $3 FROM held WHERE l.run = held.run RETURNING l.run, l.fence, l.until, l.canceled";
    RELEASE(UUID_ARRAY, INT8_ARRAY) =
        "WITH held AS MATERIALIZED (
             SELECT l.run FROM unnest($1, $2) AS k (run, fence) JOIN @leases l ON l.run = k.run AND l.fence = k.fence
             ORDER BY l.run FOR UPDATE OF l
         )
         UPDATE @leases l SET owner = NULL FROM held WHERE l.run = held.run";
    CANCEL(UUID) =
        "WITH d AS MATERIALIZED (SELECT run FROM @deployments WHERE run = $1 AND root = run AND active FOR SHARE)
         INSERT INTO @leases (run, owner, fence, until, canceled) SELECT d.run, NULL, 0, 0, true FROM d
         ON CONFLICT (run) DO UPDATE SET canceled = true RETURNING run";
    HINT(TEXT) = "SELECT pg_notify($1, '')";

    // Reading.
    ABANDONED(INT8) =
        deployment!("LEFT JOIN @leases l ON l.run = d.run
         WHERE d.active AND d.run = d.root AND (l.owner IS NULL OR l.until <= NOW) ORDER BY d.ordinal, d.run LIMIT $1");
    ACTIVE(UUID_ARRAY) = "SELECT run FROM @deployments WHERE run = ANY ($1) AND active";
    DEPLOYMENT(TEXT, TEXT) = deployment!("WHERE d.scope = $1 AND d.name = $2");
    RUN(UUID) = deployment!("WHERE d.run = $1");
    RUNS(UUID) = deployment!("WHERE d.root = $1 ORDER BY d.ordinal, d.run");
    DEPLOYMENTS(INT8, INT8) = deployment!("ORDER BY d.ordinal DESC, d.run DESC LIMIT $1 OFFSET $2");
    DEPLOYMENTS_OF(TEXT, INT8, INT8) =
        deployment!("WHERE d.scope = $1 ORDER BY d.ordinal DESC, d.run DESC LIMIT $2 OFFSET $3");
    DEPLOYMENTS_AFTER(TEXT, INT8, UUID, INT8) = deployment!(
        "WHERE d.scope = $1 AND (d.ordinal, d.run) < ($2, $3) ORDER BY d.ordinal DESC, d.run DESC LIMIT $4"
    );
    ALL_DEPLOYMENTS_AFTER(INT8, UUID, INT8) =
        deployment!("WHERE (d.ordinal, d.run) < ($1, $2) ORDER BY d.ordinal DESC, d.run DESC LIMIT $3");
    STEPS(UUID) = "SELECT number, phase, format, body FROM @steps WHERE run = $1 ORDER BY number";
    OPERATIONS(UUID, INT8, INT8) =
        "SELECT number, format, body FROM @operations WHERE run = $1 ORDER BY number LIMIT $2 OFFSET $3";
    BLOB(UUID, TEXT) = "SELECT bytes FROM @blobs WHERE run = $1 AND name = $2";
    RESOURCES_OF(TEXT_ARRAY) = resource!("WHERE key = ANY ($1)");
    RESOURCES(TEXT, INT8, INT8) = resource!("WHERE key >= $1 ORDER BY key LIMIT $2 OFFSET $3");
    RESOURCES_BELOW(TEXT, TEXT, INT8, INT8) =
        resource!("WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3 OFFSET $4");
    RESOURCES_AFTER(TEXT, TEXT, INT8) = resource!("WHERE key > $1 AND key < $2 ORDER BY key LIMIT $3");
    RESOURCES_AFTER_ALL(TEXT, INT8) = resource!("WHERE key > $1 ORDER BY key LIMIT $2");

    // What a scope has: with its slash, and up to the character behind it.
    USAGE(TEXT, TEXT, TEXT) =
        "SELECT
             (SELECT count(*) FROM @resources WHERE key >= $2 AND key < $3),
             (SELECT coalesce(sum(octet_length(body)), 0)::bigint FROM @resources WHERE key >= $2 AND key < $3),
             (SELECT count(*) FROM @deployments WHERE scope = $1 AND active),
             (SELECT coalesce(sum(octet_length(body)), 0)::bigint FROM @deployments WHERE scope = $1),
             (SELECT coalesce(sum(octet_length(s.body)), 0)::bigint FROM @deployments d JOIN @steps s ON s.run = d.run WHERE d.scope = $1),
             (SELECT coalesce(sum(octet_length(o.body)), 0)::bigint FROM @deployments d JOIN @operations o ON o.run = d.run WHERE d.scope = $1),
             (SELECT coalesce(sum(octet_length(b.bytes)), 0)::bigint FROM @deployments d JOIN @blobs b ON b.run = d.run WHERE d.scope = $1)";

    // Everything, in a transaction.
    EXPORT_DEPLOYMENTS() =
        "DECLARE export NO SCROLL CURSOR FOR
         SELECT d.scope, d.name, d.run, d.root, d.active, d.ordinal, d.format, d.body, coalesce(l.fence, 0), coalesce(l.canceled, false)
         FROM @deployments d LEFT JOIN @leases l ON l.run = d.run ORDER BY d.scope, d.name";
    EXPORT_STEPS() =
        "DECLARE export NO SCROLL CURSOR FOR SELECT run, number, phase, format, body FROM @steps ORDER BY run, number";
    EXPORT_OPERATIONS() =
        "DECLARE export NO SCROLL CURSOR FOR SELECT run, number, format, body FROM @operations ORDER BY run, number";
    EXPORT_BLOBS() = "DECLARE export NO SCROLL CURSOR FOR SELECT run, name, bytes FROM @blobs ORDER BY run, name";
    EXPORT_RESOURCES() =
        "DECLARE export NO SCROLL CURSOR FOR SELECT id, version, format, body FROM @resources ORDER BY key";
    LOCK_ALL() =
        "LOCK TABLE @deployments, @leases, @batches, @steps, @operations, @blobs, @resources, @forgotten IN SHARE ROW EXCLUSIVE MODE";
    IS_USED() =
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM @deployments) OR EXISTS (SELECT 1 FROM @resources)";
    EMPTY() = "TRUNCATE @deployments, @leases, @batches, @steps, @operations, @blobs, @resources, @forgotten";
    IMPORT_LEASES(UUID_ARRAY, INT8_ARRAY, BOOL_ARRAY) =
        "INSERT INTO @leases (run, owner, fence, until, canceled)
         SELECT k.run, NULL, k.fence, 0, k.canceled FROM unnest($1, $2, $3) AS k (run, fence, canceled)";
}
