-- A worker has done a chunk that it has, or gives it back.
-- KEYS[1] root   ARGV: id, fence, number, worker, state ('done', 'free' or 'left'), frames
-- Answers 1, or 0 when the chunk was not this worker's any more: then nothing changes.
-- @include "job.lua"
-- @include "chunk.lua"
local root, id, number, worker = KEYS[1], ARGV[1], ARGV[3], ARGV[4]
if not has_chunk(root, id, ARGV[2], number, worker) then return 0 end
write_chunk(root, id, number, ARGV[5], worker, 0, tonumber(ARGV[6]))
return 1
