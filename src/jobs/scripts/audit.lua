-- The unfinished jobs of an account beside its open holds, at one moment.
-- KEYS[1] root   ARGV: account
-- Answers {{id, status, held credits by the record, held credits by the ledger} ...}, as text; '' where there is none.
-- @include "job.lua"
local root, account = KEYS[1], ARGV[1]
local ids, answer = {}, {}
for _, id in ipairs(redis.call('ZRANGE', root .. ':queued:' .. account, 0, -1)) do ids[id] = true end
for _, id in ipairs(redis.call('SMEMBERS', root .. ':running:' .. account)) do ids[id] = true end
for _, id in ipairs(redis.call('HKEYS', root .. ':holds:' .. account)) do ids[id] = true end
for id in pairs(ids) do
  local job = job_fields(root, id, 'status', 'held')
  local hold = redis.call('HGET', root .. ':holds:' .. account, id)
  answer[#answer + 1] = { id, job[1] or '', job[2] or '', hold and tostring(cjson.decode(hold).credits) or '' }
end
return answer
