-- The owner of an attempt takes its first chunk that is free, or was left to it. It needs no lease: when it is lost, so is
-- the attempt, and with it the list.
-- KEYS[1] root   ARGV: id, fence, worker
-- Answers its number; 'wait': others are doing the rest; 'done'; 'lost': the job belongs to another attempt.
-- @include "job.lua"
-- @include "chunk.lua"
local root, id, now = KEYS[1], ARGV[1], now_ms()
if not is_shared_by(root, id, ARGV[2]) then return 'lost' end
local chunks, numbers = read_chunks(root, id)
local done = true
for _, number in ipairs(numbers) do
  local chunk = chunks[number]
  -- Its own: the call was sent again after a lost connection, as an owner does one at a time.
  local own = chunk.state == 'taken' and chunk.by == ARGV[3]
  if own or chunk.state == 'left' or is_free(chunk, now) then
    write_chunk(root, id, number, 'taken', ARGV[3], 9e15, 0)
    return number
  end
  if chunk.state ~= 'done' then done = false end
end
return done and 'done' or 'wait'
