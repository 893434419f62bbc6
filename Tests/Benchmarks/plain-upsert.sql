-- The upsert of a registration, by pgbench: every second one brings a new device, the others bring back one of those before.
\set n :n + 1
\set device case when :n % 2 = 0 then :n / 2 else random(0, :n / 2) end
INSERT INTO installation(token, objectId, createdAt, updatedAt, document)
SELECT t.token, left(md5(t.token), 24), n.now, n.now, jsonb_build_object(
    'apnsTopic', 'org.example.app', 'badge', 0, 'channels', jsonb_build_array('bench', 'group' || (:device::int % 1000)),
    'deviceProfile', 'driver', 'deviceToken', t.token, 'deviceType', 'ios', 'timeZone', 'Asia/Shanghai', 'valid', true)
FROM (SELECT md5(d.name) || md5('token ' || d.name) AS token
      FROM (SELECT :run::text || ' ' || :client_id::text || ' ' || :device::text AS name) AS d) AS t,
    (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS n
ON CONFLICT (token) DO UPDATE SET document = excluded.document, updatedAt = excluded.updatedAt
