-- The chunks of an attempt that shares them out. They belong to the attempt whose fence they name: when the job has
-- another fence, or has ended, they are nobody's.
--
--   <root>:chunks:<id>   hash: fence  of the attempt
--                              owner  the worker that has the attempt
--                              <n>    JSON of chunk n: by, until_ms, frames, state
--
-- state: 'free'; 'taken' by the worker `by`, which must be heard of by `until_ms`; 'left' to the owner, as a helper could not
-- do it; 'done'. `frames`: how many are done.
-- To be included after job.lua.

local function chunks_key(root, id) return root .. ':chunks:' .. id end

local function is_shared_by(root, id, fence)
  local job = job_fields(root, id, 'status', 'fence')
  return job[1] == 'processing' and job[2] == fence and redis.call('HGET', chunks_key(root, id), 'fence') == fence
end

-- By their numbers, and the numbers in ascending order.
local function read_chunks(root, id)
  local chunks, numbers = {}, {}
  local fields = redis.call('HGETALL', chunks_key(root, id))
  for at = 1, #fields, 2 do
    local number = tonumber(fields[at])
    if number then
      chunks[number] = cjson.decode(fields[at + 1])
      numbers[#numbers + 1] = number
    end
  end
  table.sort(numbers)
  return chunks, numbers
end

-- One that was taken by a worker that has not been heard of in time is as good as free.
local function is_free(chunk, now)
  return chunk.state == 'free' or chunk.state == 'taken' and chunk.until_ms < now
end

local function write_chunk(root, id, number, state, by, until_ms, frames)
  redis.call('HSET', chunks_key(root, id), number,
    cjson.encode({ state = state, by = by, until_ms = until_ms, frames = frames }))
end

-- Whether this worker has this chunk.
local function has_chunk(root, id, fence, number, worker)
  if not is_shared_by(root, id, fence) then return false end
  local text = redis.call('HGET', chunks_key(root, id), number)
  local chunk = text and cjson.decode(text)
  return chunk and chunk.state == 'taken' and chunk.by == worker
end
