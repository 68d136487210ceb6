-- The heartbeat of a helper: renews its lease of a chunk and records how many frames are done.
-- KEYS[1] root   ARGV: id, fence, number, worker, lease ms, frames
-- Answers 'on'; 'stop': the chunk is not this worker's any more, or nobody wants it.
-- @include "job.lua"
-- @include "chunk.lua"
local root, id, number, worker = KEYS[1], ARGV[1], ARGV[3], ARGV[4]
if not has_chunk(root, id, ARGV[2], number, worker) then return 'stop' end
if job_fields(root, id, 'cancel_requested')[1] == '1' then return 'stop' end
write_chunk(root, id, number, 'taken', worker, now_ms() + ARGV[5], tonumber(ARGV[6]))
return 'on'
