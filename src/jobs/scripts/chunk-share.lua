-- An attempt begins to share out its chunks, if it still owns the job. What it shared before is forgotten.
-- KEYS[1] root   ARGV: id, fence, worker, numbers of the chunks (JSON)
-- Answers 'shared' or 'lost'.
-- @include "job.lua"
-- @include "chunk.lua"
local root, id = KEYS[1], ARGV[1]
local job = job_fields(root, id, 'status', 'fence')
if job[1] ~= 'processing' or job[2] ~= ARGV[2] then return 'lost' end
drop_chunks(root, id)
redis.call('HSET', chunks_key(root, id), 'fence', ARGV[2], 'owner', ARGV[3])
for _, number in ipairs(cjson.decode(ARGV[4])) do write_chunk(root, id, number, 'free', '', 0, 0) end
redis.call('ZADD', root .. ':shared', now_ms(), id)
return 'shared'
