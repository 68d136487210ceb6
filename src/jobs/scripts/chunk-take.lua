-- A worker that has nothing else to do takes a chunk of another worker's attempt: of the one that has shared longest, the
-- last free chunk, as its owner goes through them from the first on and so reads the video on without a seek.
-- KEYS[1] root   ARGV: worker, lease ms
-- Answers {id, fence, number}, or nothing where there is nothing to take.
-- @include "job.lua"
-- @include "chunk.lua"
local root, worker, now = KEYS[1], ARGV[1], now_ms()
for _, id in ipairs(redis.call('ZRANGE', root .. ':shared', 0, -1)) do
  local key = chunks_key(root, id)
  local shared = redis.call('HMGET', key, 'fence', 'owner')
  local canceled = job_fields(root, id, 'cancel_requested')[1] == '1'
  if not shared[1] or not is_shared_by(root, id, shared[1]) then
    drop_chunks(root, id)
  elseif shared[2] ~= worker and not canceled then
    local chunks, numbers = read_chunks(root, id)
    for at = #numbers, 1, -1 do
      local number = numbers[at]
      if is_free(chunks[number], now) then
        write_chunk(root, id, number, 'taken', worker, now + ARGV[2], 0)
        return { id, tonumber(shared[1]), number }
      end
    end
  end
end
return false
