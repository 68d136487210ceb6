-- Sets credits aside if they are available and the price still holds; else changes nothing.
-- KEYS[1] root
-- ARGV: account, id, credits, list, month, lines (JSON), usage from, usage to (the bounds of the price)
-- Answers {'held'} | {'repriced', used} (the month's usage left the bounds) | {'short', available}.
-- Holding the same id again while it is open changes nothing and answers {'held'}.
-- @include "money.lua"
local root, account, id = KEYS[1], ARGV[1], ARGV[2]
if redis.call('HEXISTS', root .. ':holds:' .. account, id) == 1 then return { 'held' } end
local used = used_in_month(root, account, ARGV[5])
if used < tonumber(ARGV[7]) or used > tonumber(ARGV[8]) then return { 'repriced', used } end
local available = hold(root, account, id, tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6])
if available then return { 'short', available } end
return { 'held' }
