#pragma once
// A query, its call, and what is said of its answer: what the verb and its prompt share.

#include "schema/base/error.hpp"
#include "tools/cli/process/io.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstdint>
#include <string_view>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// How an answer is printed.
enum class QueryForm : std::uint8_t { table, json, csv };

/// What all queries of one command have in common.
struct QuerySettings {
  boost::json::object params = {};  ///< of the method, such as `as_of`, without the query and its values
  boost::json::object values = {};  ///< of `$name` in queries
  std::uint64_t limit = 0;          ///< rows at most; 0: all
  QueryForm form = QueryForm::table;
  CLI::App const* app = nullptr;  ///< the verb, whose flags errors name; null: errors stay as they are
};

/// Adds the value of `NAME=JSON`. Fails with `invalid_params` on other text, and on a name that `values` has already
/// where `may_replace` is false.
[[nodiscard]] Result<void> add_query_value(boost::json::object& values, std::string_view text, bool may_replace);

/// The result of the method with all rows up to the limit, page after page of one moment.
[[nodiscard]] CallResult<boost::json::object> ask_query(Caller& caller, QuerySettings const& settings,
                                                        std::string_view cypher);

/// Asks and prints. A failure is printed with its excerpt, each line as it is.
[[nodiscard]] ExitCode answer_query(Caller& caller, QuerySettings const& settings, std::string_view cypher, Io& io);

}  // namespace whence::tools
