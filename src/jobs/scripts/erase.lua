-- Marks the media of a finished job as erased and removes its result from the cache.
-- KEYS[1] root   ARGV: id
-- Answers the name of its result file, or ''.
-- @include "job.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'outcome', 'fingerprint')
redis.call('HSET', job_key(root, id), 'erased', '1')
if not job[1] or job[1] == '' then return '' end
redis.call('HSET', job_key(root, id), 'expires_at', now_ms())
redis.call('DEL', root .. ':cache:' .. (job[2] or ''))
local read, outcome = pcall(cjson.decode, job[1])
if not read or type(outcome) ~= 'table' or type(outcome.file) ~= 'string' then return '' end
return outcome.file
