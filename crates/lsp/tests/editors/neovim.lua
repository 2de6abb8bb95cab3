-- Neovim's own client on a copy of `examples/storefront`, as a person uses it: open, diagnose, complete, fix, rename, format, hover.
--
-- usage: TENDON=PROGRAM nvim --headless -u NONE -i NONE -n -S neovim.lua     in the folder of the copy
--
-- Each check is one call of `check`. The first that fails ends the editor with status 1 and says what was expected.
-- Versions from 0.7 on work; where their functions differ, the newer name is tried first.

local WAIT = 60000 -- milliseconds; a debug build on a busy machine is slow, and nothing here is timed

local function say(text)
  io.stdout:write(text .. '\n')
end

--- Waits until `ready` answers something, and fails with what was waited for.
local function wait(what, ready)
  local answer
  local function look()
    answer = ready()
    return answer and true or false
  end
  if not vim.wait(WAIT, look, 20) then
    error('waited in vain for ' .. what, 0)
  end
  return answer
end

local function equal(found, expected, what)
  if not vim.deep_equal(found, expected) then
    local text = '%s\n  expected: %s\n  found:    %s'
    error(text:format(what, vim.inspect(expected), vim.inspect(found)), 0)
  end
end

local function lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, true)
end

local function has_line(buffer, text)
  return vim.tbl_contains(lines(buffer), text)
end

--- Puts the cursor on the place of `mark` in the first line that has `text`.
local function go(text, mark)
  for number, line in ipairs(lines()) do
    if line:find(text, 1, true) then
      local column = assert(line:find(mark or text, 1, true), 'no ' .. tostring(mark) .. ' in ' .. line)
      vim.api.nvim_win_set_cursor(0, { number, column - 1 })
      return number
    end
  end
  error('no line with `' .. text .. '`', 0)
end

--- Adds lines to the end of the buffer and answers the number of the first one.
local function append(added)
  local count = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, count, count, true, added)
  return count + 1
end

--- How often diagnostics came for a file, by its URI.
local published = {}

local function publish(err, result, ...)
  if result then
    published[result.uri] = (published[result.uri] or 0) + 1
  end
  return vim.lsp.diagnostic.on_publish_diagnostics(err, result, ...)
end

local client

--- Starts the server for a buffer, or lets the one that runs have it.
local function attach(buffer)
  if not client then
    local start = vim.lsp.start_client or vim.lsp.start
    local id = start({
      name = 'tendon',
      cmd = { assert(os.getenv('TENDON'), 'TENDON does not name the program'), 'lsp' },
      root_dir = vim.fn.getcwd(),
      get_language_id = function(_, filetype)
        return filetype
      end,
      -- Changes of a buffer that is not the current one would be sent after the request that follows.
      flags = { debounce_text_changes = 0 },
      handlers = { ['textDocument/publishDiagnostics'] = publish },
      on_exit = function(code, signal)
        client.ended = { code = code, signal = signal }
      end,
    })
    client = { id = assert(id, 'the server did not start') }
  end
  vim.lsp.buf_attach_client(buffer, client.id)
end

-- As in `docs/editors.md`: also files that only a rename loads are given to the server.
vim.cmd('autocmd BufRead *.bicep setlocal filetype=bicep')
vim.cmd('autocmd BufRead *.bicepparam setlocal filetype=bicep-params')
vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'bicep', 'bicep-params' },
  callback = function(event)
    attach((event or {}).buf or tonumber(vim.fn.expand('<abuf>')))
  end,
})
vim.o.hidden = true

local function open(name)
  local uri = vim.uri_from_fname(vim.fn.getcwd() .. '/' .. name)
  local before = published[uri] or 0
  vim.cmd('edit ' .. name)
  wait('diagnostics of ' .. name, function()
    return (published[uri] or 0) > before
  end)
end

--- The diagnostics of the buffer as `LINE CODE`, in the order of lines and codes.
local function problems()
  local found = {}
  for _, problem in ipairs(vim.diagnostic.get(0)) do
    local lsp = problem.user_data and problem.user_data.lsp or {}
    table.insert(found, { problem.lnum + 1, tostring(problem.code or lsp.code) })
  end
  table.sort(found, function(a, b)
    return a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])
  end)
  return vim.tbl_map(function(problem)
    return problem[1] .. ' ' .. problem[2]
  end, found)
end

--- Waits until the diagnostics of the buffer are these.
local function expect_problems(expected, what)
  local done = vim.wait(WAIT, function()
    return vim.deep_equal(problems(), expected)
  end, 20)
  if not done then
    equal(problems(), expected, what)
  end
end

--- What the server answers on a position of the cursor.
local function ask(method)
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  local answers = vim.lsp.buf_request_sync(0, method, params, WAIT) or {}
  local answer = answers[client.id] or {}
  if answer.err or answer.error then
    error(method .. ': ' .. vim.inspect(answer.err or answer.error), 0)
  end
  return answer.result
end

--- Waits until the buffer has a line.
local function expect_line(buffer, text)
  wait('the line `' .. text .. '` in:\n' .. table.concat(lines(buffer), '\n'), function()
    return has_line(buffer, text)
  end)
end

local checks = {}

local function check(name, run)
  table.insert(checks, { name = name, run = run })
end

check('open: the program has no problems', function()
  open('main.bicep')
  equal(problems(), {}, 'diagnostics of an untouched file')
end)

check('diagnose: what is typed is checked, and what is undone is forgotten', function()
  local first = append({ '', "var stages = 'three' + 1", 'param count int', 'output twice int = count * 2' })
  local number = first + 1
  expect_problems({ number .. ' BCP045', number .. ' no-unused-vars' }, 'diagnostics of a wrong line')
  vim.api.nvim_buf_set_lines(0, number - 1, number, true, {})
  expect_problems({}, 'diagnostics without the wrong line')
  vim.api.nvim_buf_set_lines(0, first - 1, -1, true, {})
end)

check('complete: a symbol, and its edit', function()
  local number = append({ '', 'output production bool = isProd' }) + 1
  -- In normal mode the cursor is on the last letter; completion is asked for behind it.
  vim.o.virtualedit = 'onemore'
  vim.api.nvim_win_set_cursor(0, { number, #vim.api.nvim_get_current_line() })
  local answer = ask('textDocument/completion')
  local items = answer.items or answer
  local chosen = vim.tbl_filter(function(item)
    return item.label == 'isProduction'
  end, items)
  equal(#chosen, 1, 'items `isProduction` among ' .. #items)
  vim.lsp.util.apply_text_edits({ chosen[1].textEdit }, vim.api.nvim_get_current_buf(), 'utf-16')
  equal(vim.api.nvim_get_current_line(), 'output production bool = isProduction', 'the completed line')
  vim.api.nvim_buf_set_lines(0, number - 2, -1, true, {})
  expect_problems({}, 'diagnostics after the completion')
end)

check('complete: the properties of a resource that are not written yet', function()
  local number = go("resource lock 'Microsoft.Authorization/locks@2020-05-01'") + 2
  vim.api.nvim_buf_set_lines(0, number, number, true, { '    ' })
  vim.api.nvim_win_set_cursor(0, { number + 1, 4 })
  local answer = ask('textDocument/completion')
  local labels = vim.tbl_map(function(item)
    return item.label
  end, answer.items or answer)
  equal(vim.tbl_contains(labels, 'owners'), true, '`owners` among ' .. table.concat(labels, ', '))
  equal(vim.tbl_contains(labels, 'level'), false, '`level`, which is there already, among the items')
  vim.api.nvim_buf_set_lines(0, number, number + 1, true, {})
end)

check('fix: the action of a finding', function()
  local number = append({ '', "output label string = concat('shop-', stage)" }) + 1
  expect_problems({ number .. ' prefer-interpolation' }, 'a finding that can be fixed')
  local offered = {}
  vim.ui.select = function(items, _, choose)
    for _, item in ipairs(items) do
      local action = item.action or item[2]
      table.insert(offered, action.title)
      if action.title == 'Use interpolation' then
        return choose(item, 1)
      end
    end
    choose(nil)
  end
  go('concat(')
  vim.lsp.buf.code_action()
  wait('the actions of the finding', function()
    return #offered > 0
  end)
  equal(vim.tbl_contains(offered, 'Use interpolation'), true, 'the fix among ' .. vim.inspect(offered))
  expect_line(0, "output label string = 'shop-${stage}'")
  expect_problems({}, 'diagnostics after the fix')
  vim.api.nvim_buf_set_lines(0, number - 2, -1, true, {})
end)

check('hover: a type and its description', function()
  go('param shelves', 'shelves')
  local before = vim.api.nvim_get_current_win()
  vim.lsp.buf.hover()
  local window = wait('a window with the hover', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if window ~= before and vim.api.nvim_win_get_config(window).relative ~= '' then
        return window
      end
    end
  end)
  local text = table.concat(lines(vim.api.nvim_win_get_buf(window)), '\n')
  vim.api.nvim_win_close(window, true)
  for _, part in ipairs({ 'param shelves', 'The folders of files that it serves.' }) do
    equal(text:find(part, 1, true) ~= nil, true, '`' .. part .. '` in the hover:\n' .. text)
  end
end)

check('rename: a function, in every file that uses it', function()
  local main = vim.api.nvim_get_current_buf()
  local uri = vim.uri_from_bufnr(main)
  local before = published[uri]
  go("name: nameOf(stage, 'messages')", 'nameOf')
  vim.lsp.buf.rename('named')
  expect_line(main, "  name: named(stage, 'messages')")
  expect_line(main, "    name: named(stage, 'site')")
  expect_line(main, "import { commonTags, named, scaleType, shelfType, stageType } from 'types.bicep'")
  local types = vim.fn.bufnr('types.bicep')
  equal(types > 0, true, 'types.bicep is loaded by the rename')
  equal(table.concat(lines(types), '\n'):find('nameOf', 1, true), nil, '`nameOf` in types.bicep')
  wait('diagnostics after the rename', function()
    return published[uri] > before
  end)
  expect_problems({}, 'diagnostics after the rename')
end)

check('definition: the file that declares it', function()
  go("name: named(stage, 'messages')", 'named')
  vim.lsp.buf.definition()
  wait('types.bicep', function()
    return vim.fn.expand('%:t') == 'types.bicep'
  end)
  equal(vim.api.nvim_get_current_line():find('^func named') ~= nil, true, vim.api.nvim_get_current_line())
end)

check('format: a document as `tendon format` writes it', function()
  open('modules/storage.bicep')
  local formatted = vim.fn.systemlist({ os.getenv('TENDON'), 'format', '--stdout', 'modules/storage.bicep' })
  equal(vim.v.shell_error, 0, table.concat(formatted, '\n'))
  for number, line in ipairs(lines()) do
    vim.api.nvim_buf_set_lines(0, number - 1, number, true, { (line:gsub('^ +', ' '):gsub('^( *%w+): ', '%1 :   ')) })
  end
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = WAIT })
  else
    vim.lsp.buf.formatting_sync(nil, WAIT)
  end
  equal(lines(), formatted, 'the formatted document')
end)

check('parameters: a value that the program refuses', function()
  open('prod.bicepparam')
  equal(problems(), {}, 'diagnostics of an untouched file')
  local number = go("param stage = 'prod'")
  vim.api.nvim_buf_set_lines(0, number - 1, number, true, { "param stage = 'production'" })
  expect_problems({ number .. ' BCP033' }, 'diagnostics of a wrong value')
end)

check('end: the server ends when the editor says so', function()
  vim.lsp.stop_client(client.id)
  wait('the end of the server', function()
    return client.ended
  end)
  equal(client.ended, { code = 0, signal = 0 }, 'how the server ended')
end)

local failed
for _, item in ipairs(checks) do
  local ok, message = pcall(item.run)
  say((ok and 'ok      ' or 'FAILED  ') .. item.name)
  if not ok then
    say(tostring(message))
    failed = true
    break
  end
end
vim.cmd(failed and 'cquit 1' or 'qall!')
