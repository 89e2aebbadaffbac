// Calling `query` and printing what it answers.

#include "tools/cli/query/asked.hpp"

#include "net/base/service_config.hpp"
#include "net/plain_text/cell.hpp"
#include "net/plain_text/query_value.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "tools/cli/options/own_words.hpp"
#include "tools/cli/query/rows.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view query_method = "query";

/// One page. A server may be configured with smaller pages: it refuses the limit, and is asked without one.
CallResult<json::object> ask_page(Caller& caller, json::object params, std::uint64_t wanted) {
  std::uint64_t const page_max = net::ServiceConfig{}.page_max;
  params["limit"] = std::min(wanted, page_max);
  CallResult<json::value> answer = caller.call(query_method, params);
  bool const is_limit_refused = !answer && answer.error().message.find("/limit") != std::string::npos;
  if (is_limit_refused) {
    params.erase("limit");
    answer = caller.call(query_method, params);
  }
  if (!answer) return answer.error();
  if (!answer->is_object()) return CallError{.message = "the result is not an object"};
  return std::move(answer->get_object());
}

json::array& rows_of_answer(json::object& answer) {
  json::value& rows = answer["rows"];
  return rows.is_array() ? rows.get_array() : rows.emplace_array();
}

/// The message, whose excerpt has a caret below the place: every line is printed as one.
ExitCode report_query(Io& io, CallError const& error) {
  io.talk << "whence: ";
  std::string text = error.message;
  std::ranges::replace(text, '\t', ' ');  // as an escape it would move what is above the caret
  std::string_view rest = text;
  for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    io.talk << net::plain_text::shown(line) << '\n';
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return error.exit;
}

void print_answer(json::object const& answer, QueryForm form, Io& io) {
  switch (form) {
    case QueryForm::table:
      return show_query(answer, io);
    case QueryForm::json:
      io.data << net::plain_text::answer_text(answer) << '\n';
      return;
    case QueryForm::csv:
      break;
  }
  if (json::value const* names = answer.if_contains("columns"); names != nullptr && names->is_array()) {
    io.data << csv_record(names->get_array());
  }
  for (json::value const& row : schema::json::list_at(answer, "rows")) {
    if (row.is_array()) io.data << csv_record(row.get_array());
  }
}

}  // namespace

Result<void> add_query_value(json::object& values, std::string_view text, bool may_replace) {
  std::size_t const split = text.find('=');
  if (split == std::string_view::npos || split == 0) {
    return Error{.code = Errc::invalid_params, .message = "\"" + std::string{text} + "\" is not NAME=JSON"};
  }
  std::string name{text.substr(0, split)};
  if (name.starts_with('$')) name.erase(0, 1);
  Result<schema::json::Document> value = schema::json::parse(text.substr(split + 1));
  if (!value) {
    return Error{.code = Errc::invalid_params,
                 .message = "the value of " + name +
                            " is not JSON (a text is written in double quotes): " + value.error().message};
  }
  if (!may_replace && values.contains(name)) {
    return Error{.code = Errc::invalid_params, .message = "the parameter " + name + " is given twice"};
  }
  values[name] = std::move(value->value);
  return {};
}

CallResult<json::object> ask_query(Caller& caller, QuerySettings const& settings, std::string_view cypher) {
  json::object params = settings.params;
  params["cypher"] = cypher;
  if (!settings.values.empty()) params["params"] = settings.values;
  std::uint64_t const wanted = settings.limit > 0 ? settings.limit : UINT64_MAX;
  CallResult<json::object> whole = ask_page(caller, std::move(params), wanted);
  if (!whole) return whole;
  for (;;) {
    json::array& rows = rows_of_answer(*whole);
    if (rows.size() > wanted) rows.resize(wanted);
    std::string const cursor = net::plain_text::cell(*whole, "cursor");
    if (cursor.empty() || rows.size() >= wanted) return whole;
    json::object next{{"cursor", cursor}};
    if (json::value const* timeout = settings.params.if_contains("timeout_ms")) next["timeout_ms"] = *timeout;
    CallResult<json::object> page = ask_page(caller, std::move(next), wanted - rows.size());
    if (!page) return page;
    json::array& more = rows_of_answer(*page);
    if (more.empty() && page->contains("cursor")) return CallError{.message = "a page of the answer has no rows"};
    for (json::value& row : more) rows.push_back(std::move(row));
    (*page)["rows"] = std::move(rows);
    whole = std::move(page);
  }
}

ExitCode answer_query(Caller& caller, QuerySettings const& settings, std::string_view cypher, Io& io) {
  CallResult<json::object> const answer = ask_query(caller, settings, cypher);
  if (!answer) {
    constexpr OwnWord words[] = {{"params", "--param"}, {"cypher", "the query"}};
    auto const& error = answer.error();
    return report_query(io, settings.app == nullptr ? error : in_own_words(error, *settings.app, words));
  }
  print_answer(*answer, settings.form, io);
  tell_query_warnings(*answer, io);
  if (settings.form == QueryForm::csv && answer->contains("plan")) {
    io.talk << "whence: CSV has no place for the plan; --json has it\n";
  }
  if (!answer->contains("cursor")) return ExitCode::ok;
  io.talk << "whence: there are more rows than " << answer->at("rows").get_array().size() << '\n';
  return ExitCode::ok;
}

}  // namespace whence::tools
