-- The schema of version 1 as its programs made it, and statements as they send them, with values. This file is never changed.
CREATE SCHEMA STATE;
CREATE TABLE STATE.schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL, oldest bigint NOT NULL
);
INSERT INTO STATE.schema_version (version, oldest) VALUES (1, 1);
CREATE TABLE STATE.deployments (
    scope text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, run uuid NOT NULL, root uuid NOT NULL,
    active boolean NOT NULL, ordinal bigint NOT NULL, format integer NOT NULL, body text NOT NULL,
    PRIMARY KEY (scope, name)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX deployments_by_run ON STATE.deployments (run);
CREATE INDEX deployments_by_root ON STATE.deployments (root);
CREATE INDEX deployments_by_order ON STATE.deployments (ordinal, run);
CREATE INDEX deployments_active ON STATE.deployments (ordinal) WHERE active;

CREATE TABLE STATE.leases (
    run uuid PRIMARY KEY, owner text, fence bigint NOT NULL, until bigint NOT NULL, canceled boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);
CREATE TABLE STATE.batches (run uuid NOT NULL, number bigint NOT NULL, PRIMARY KEY (run, number));
CREATE TABLE STATE.steps (
    run uuid NOT NULL, number bigint NOT NULL, phase smallint NOT NULL, format integer NOT NULL, body text NOT NULL,
    PRIMARY KEY (run, number)
) WITH (fillfactor = 85);
CREATE TABLE STATE.operations (
    run uuid NOT NULL, number bigint NOT NULL, format integer NOT NULL, body text NOT NULL, PRIMARY KEY (run, number)
);
CREATE TABLE STATE.blobs (run uuid NOT NULL, name text COLLATE "C" NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (run, name));
CREATE TABLE STATE.resources (
    key text COLLATE "C" PRIMARY KEY, id text NOT NULL, version bigint NOT NULL, format integer NOT NULL, body text NOT NULL
) WITH (fillfactor = 85);
-- statements
BEGIN;
SELECT d.scope, d.name, d.run, d.active FROM unnest(ARRAY['/old'], ARRAY['d']) AS k (scope, name)
    JOIN STATE.deployments d ON d.scope = k.scope AND d.name = k.name ORDER BY d.scope, d.name FOR UPDATE OF d;
SELECT l.run, l.fence FROM STATE.leases l WHERE l.run = ANY (ARRAY['00000000-0000-0000-0000-0000000000aa']::uuid[])
    AND l.owner IS NOT NULL ORDER BY l.run FOR UPDATE;
SELECT r.key, r.version FROM STATE.resources r WHERE r.key = ANY (ARRAY['/old']) ORDER BY r.key FOR UPDATE;
DELETE FROM STATE.batches WHERE run = '00000000-0000-0000-0000-0000000000aa';
DELETE FROM STATE.deployments WHERE scope = '/old' AND name = 'd';
INSERT INTO STATE.deployments (scope, name, run, root, active, ordinal, format, body)
    SELECT * FROM unnest(ARRAY['/old'], ARRAY['d'], ARRAY['00000000-0000-0000-0000-0000000000aa']::uuid[],
        ARRAY['00000000-0000-0000-0000-0000000000aa']::uuid[], ARRAY[false], ARRAY[3]::bigint[], ARRAY[1], ARRAY['{}']);
INSERT INTO STATE.leases (run, owner, fence, until, canceled)
    VALUES ('00000000-0000-0000-0000-0000000000aa', 'old', 1, 0, false)
    ON CONFLICT (run) DO UPDATE SET owner = excluded.owner, fence = 1, until = excluded.until, canceled = false;
INSERT INTO STATE.steps (run, number, phase, format, body)
    VALUES ('00000000-0000-0000-0000-0000000000aa', 1, 1, 1, '{}')
    ON CONFLICT (run, number) DO UPDATE SET phase = excluded.phase, format = excluded.format, body = excluded.body;
INSERT INTO STATE.operations (run, number, format, body) VALUES ('00000000-0000-0000-0000-0000000000aa', 1, 1, '{}')
    ON CONFLICT (run, number) DO UPDATE SET format = excluded.format, body = excluded.body;
INSERT INTO STATE.blobs (run, name, bytes) VALUES ('00000000-0000-0000-0000-0000000000aa', 'inputs', '\x00')
    ON CONFLICT (run, name) DO UPDATE SET bytes = excluded.bytes;
INSERT INTO STATE.resources (key, id, version, format, body) VALUES ('/old', '/Old', 1, 1, '{}')
    ON CONFLICT (key) DO UPDATE SET version = STATE.resources.version + 1;
INSERT INTO STATE.batches (run, number) VALUES ('00000000-0000-0000-0000-0000000000aa', 1);
COMMIT;
SELECT d.scope, d.name, d.run, d.root, d.active, d.ordinal, d.format, d.body FROM STATE.deployments d
    WHERE d.scope = '/old' ORDER BY d.ordinal DESC, d.run DESC LIMIT 1 OFFSET 0;
