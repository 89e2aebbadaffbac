#pragma once
// The method table: one row per method holds all that dispatch, roles, paging, exports, the log, `rpc.discover` and
// metrics need to know. There is no other list of methods.

#include "engine/values/write_answer.hpp"
#include "net/access/role.hpp"
#include "net/rpc/envelope.hpp"
#include "net/work/memory_budget.hpp"
#include "net/work/progress.hpp"
#include "queries/render/item_run.hpp"
#include "queries/render/page_source.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/json/writer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net {

class SessionState;
struct Running;
struct ServiceState;

/// Where a method is answered.
enum class Kind : std::uint8_t {
  session,  ///< the session itself: it changes the connection
  plain,    ///< a function of the service, at once
  worker,   ///< a function of the service, on a worker
  read,     ///< a query on a snapshot
  write,    ///< the engine's writer
};

/// What a read's answer is like.
enum class Shape : std::uint8_t {
  whole,    ///< one thing: no limit, no pages; out of time is an error
  bounded,  ///< lists cut by `limit` inside the query: no cursor; out of time is what there is so far
  list,     ///< pages with cursors; out of time is what there is so far
  prefix,   ///< pages with cursors, evaluated from the first item to the end of the page; out of time is an error
};

[[nodiscard]] constexpr bool has_pages(Shape shape) noexcept {
  return shape == Shape::list || shape == Shape::prefix;
}

/// A read whose params were accepted. `limit` is how many items are needed, from the first on.
struct Query {
  template <class T>
  using Evaluate =
      std::function<Result<T>(queries::View const& view, std::uint32_t limit, queries::Budget const& budget)>;

  Evaluate<queries::PageSource> answer = {};
  /// In place of `answer`, of a prefix: begins an evaluation that makes items as they are needed. A page goes on where
  /// the page before it ended while that is kept, and a stream has no last page.
  /// What the evaluation holds is counted in `memory`.
  std::function<Result<std::unique_ptr<queries::ItemRun>>(queries::View const& view, schema::Interrupt const& interrupt,
                                                          std::shared_ptr<PeerMemory> const& memory)>
      begin = {};
  /// The vertices asked about and shown, for exports. Empty for a method whose result is no part of the graph.
  Evaluate<std::vector<schema::VertexId>> select = {};
};

/// A function of the service.
using Call = Result<std::string> (*)(ServiceState& service, boost::json::object const& params,
                                     Progress const& progress);

/// The lines that a method leaves in the log.
struct MethodLog {
  std::string_view component;
  std::string_view received;  ///< the event of its receipt; empty: none
  std::string_view answered;  ///< the event of its answer
  /// Writes what the answer's line has about `result` into the open object of its data.
  void (*describe)(schema::json::Writer& out, boost::json::object const& result);
};

struct Method {
  std::string_view name;
  Kind kind;
  Role role;
  Shape shape = Shape::whole;   ///< of a read
  std::string_view lists = {};  ///< of a read that has any: its list members, separated by spaces
  std::string_view doc;
  std::string_view result_doc;
  /// Writes the method's own params as members of OpenRPC content descriptors into the open array.
  void (*write_params)(schema::json::Writer& out);
  /// Of a read. Fails with `invalid_params` naming every wrong member of `params`.
  Result<Query> (*parse_query)(boost::json::object const& params) = nullptr;
  /// Of `session`: the session's own function, which answers or begins to.
  void (SessionState::*start)(std::shared_ptr<Running> const& running, Request const& request) = nullptr;
  /// Of `plain` and `worker`: the result as JSON text. Of a read that may write: the answer where it does.
  Call answer = nullptr;
  /// Whether params of a read or a worker's call make it a write: then it needs that role, and `answer` answers it.
  bool (*writes)(boost::json::object const& params) = nullptr;
  /// Of a write. Fails as `parse_query` does, and with `busy` where there is no memory for what it is to write.
  Result<WriteRequest> (*parse_write)(Request const& request) = nullptr;
  /// Of a write: the member of its params that may stay text (`Request::arrays`), which `parse_write` reads.
  std::string_view text_array = {};
  /// Of a write: appends the result object.
  void (*write_answer)(std::string& out, engine::WriteAnswer const& answer) = nullptr;
  bool selects = false;            ///< of a read: it answers a part of the graph, so an export may select by it
  MethodLog const* log = nullptr;  ///< null: only failures are logged
  bool logs_records = false;       ///< the retrieval records that it writes are logged as those of retrieval methods
};

/// All methods, ordered by name.
[[nodiscard]] std::span<Method const> methods() noexcept;

/// The row of `name`, or null. O(log methods).
[[nodiscard]] Method const* find_method(std::string_view name) noexcept;

/// The members that any method takes as text.
[[nodiscard]] std::span<std::string_view const> text_arrays() noexcept;

/// The place of a row in `methods()`; one past the end for null, which metrics call "unknown".
[[nodiscard]] std::size_t index_of(Method const* method) noexcept;

}  // namespace whence::net
