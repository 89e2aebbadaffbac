// The rows of a query as the items of a read.

#include "net/cypher/query_read.hpp"

#include "net/cypher/catalog/known_names.hpp"
#include "net/cypher/json_values.hpp"
#include "net/cypher/moment.hpp"
#include "net/cypher/procedures.hpp"
#include "net/cypher/row_bound.hpp"
#include "net/cypher/step_interrupt.hpp"
#include "net/params/json_schema.hpp"
#include "net/params/params.hpp"
#include "net/params/wire_params.hpp"
#include "queries/cypher/base/query_bytes.hpp"
#include "queries/cypher/whence/json_value.hpp"
#include "queries/render/item_run.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whence::net {

struct CypherParams {
  std::string cypher = {};
  std::optional<AnyJson> params = {};
};

}  // namespace whence::net

namespace whence::schema {

template <>
struct Describe<net::CypherParams> {
  using T = net::CypherParams;
  static constexpr auto fields = std::tuple{
      field("cypher", &T::cypher, Presence::required, rules::text(0, queries::cypher::query_bytes_max),
            "A query in openCypher without writing clauses."),
      field("params", &T::params, Presence::optional, rules::any(), "An object: the values of `$name` in the query."),
  };
};

}  // namespace whence::schema

namespace whence::net {

namespace {

namespace cypher = queries::cypher;

struct CypherAsked {
  std::string text;
  cypher::Map params;
};

/// One query that runs. The members from `moment_` on are in the order in which they need each other.
class CypherItems final : public queries::ItemRun {
 public:
  CypherItems(std::shared_ptr<CypherAsked const> asked, queries::View view, std::shared_ptr<PeerMemory> const& memory)
      : asked_{std::move(asked)},
        moment_{schema::SystemClock{}.now(), std::move(view)},
        held_{memory},
        row_{memory},
        budget_{.interrupt = interrupt_,
                .rows_max = std::numeric_limits<std::uint64_t>::max(),
                .may_hold = [this](std::uint64_t bytes) { return held_.try_set(bytes); }} {}

  [[nodiscard]] Result<void> start(schema::Interrupt const& interrupt) {
    InterruptOfStep::Step const step{interrupt_, interrupt};
    auto const prepared = cypher::prepare(asked_->text, &cypher_procedures());
    if (!prepared) return cypher::to_error(prepared.error());
    notices_ = prepared->notices(known_names());
    auto rows = cypher::run(*prepared, moment_.graph(), asked_->params, budget_, moment_.environment());
    if (!rows) return cypher::to_error(rows.error());
    rows_.emplace(std::move(*rows));
    return {};
  }

  [[nodiscard]] Result<bool> next(std::string* out, schema::Interrupt const& interrupt) override {
    InterruptOfStep::Step const step{interrupt_, interrupt};
    auto const row = rows_->next();
    if (!row) return cypher::to_error(row.error());
    if (!*row) {
      // A record that could not be read gave no properties: the rows are wrong.
      if (auto const error = moment_.graph().error()) return *error;
      return false;
    }
    if (out == nullptr) return true;
    schema::json::Writer writer{*out};
    RowBound bound{*out, budget_.bytes_max, row_, interrupt};
    writer.begin_array();
    for (auto const& value : **row) {
      write_json(writer, value, bound);
      if (!bound.may_go_on()) break;
    }
    writer.end_array();
    if (bound.problem()) return cypher::to_error(*bound.problem());
    return true;
  }

  void write_members(schema::json::Writer& out) const override {
    out.key("columns").begin_array();
    for (auto const& name : rows_->columns()) out.value(name);
    out.end_array();
    if (!notices_.empty() || !rows_->notices().empty()) write_notices(out);
    if (rows_->is_explain() || rows_->is_profile()) out.member("plan", cypher::to_text(rows_->plan()));
  }

  [[nodiscard]] std::size_t bytes() const noexcept override {
    return moment_.graph().kept_bytes();  // what the rows hold is counted already
  }

 private:
  void write_notices(schema::json::Writer& out) const {
    out.key("warnings").begin_array();
    auto notices = notices_;
    notices.insert(notices.end(), rows_->notices().begin(), rows_->notices().end());
    for (auto const& notice : notices) {
      out.begin_object().member("rule", cypher::rule_of(notice.kind)).member("path", "/cypher");
      out.member("message", notice.message).member("line", notice.place.line);
      out.member("column", notice.place.column).end_object();
    }
    out.end_array();
  }

  std::shared_ptr<CypherAsked const> asked_;
  std::vector<cypher::Notice> notices_;
  CypherMoment moment_;
  InterruptOfStep interrupt_;
  MemoryClaim held_;  ///< of the run
  MemoryClaim row_;   ///< of the text of the row that was made last
  cypher::QueryBudget budget_;
  std::optional<cypher::Rows> rows_;
};

/// Whether `value` is or holds an integer that neither openCypher's 64 bits nor a float hold: digits that are a float's
/// are taken as one.
bool holds_wide_integer(boost::json::value const& value) {
  if (auto const* list = value.if_array()) return std::ranges::any_of(*list, holds_wide_integer);
  if (auto const* object = value.if_object()) {
    return std::ranges::any_of(*object, [](auto const& member) { return holds_wide_integer(member.value()); });
  }
  constexpr double uint64_end = 18446744073709551616.0;
  if (!value.is_uint64() || value.get_uint64() <= std::numeric_limits<std::int64_t>::max()) return false;
  auto const nearest = static_cast<double>(value.get_uint64());
  return nearest >= uint64_end || static_cast<std::uint64_t>(nearest) != value.get_uint64();
}

}  // namespace

Result<Query> parse_cypher_query(boost::json::object const& params) {
  auto parsed = parse_params<CypherParams>(params);
  if (!parsed) return parsed.error();
  auto const asked = std::make_shared<CypherAsked>();
  asked->text = std::move(parsed->cypher);
  if (parsed->params) {
    auto const* const named = parsed->params->value.if_object();
    if (named == nullptr)
      return error_from(std::vector{param_violation("type", "/params", "", "an object is expected")});
    for (auto const& member : *named) {
      if (holds_wide_integer(member.value())) {
        return error_from(
            std::vector{param_violation(std::string{schema::json::inexact_rule}, "/params/" + std::string{member.key()},
                                        "", std::string{schema::json::inexact_message})});
      }
      asked->params.emplace(std::string{member.key()}, cypher::from_json(member.value()));
    }
  }
  Query query;
  query.begin = [asked = std::shared_ptr<CypherAsked const>{asked}](
                    queries::View const& view, schema::Interrupt const& interrupt,
                    std::shared_ptr<PeerMemory> const& memory) -> Result<std::unique_ptr<queries::ItemRun>> {
    auto items = std::make_unique<CypherItems>(asked, view, memory);
    if (auto const started = items->start(interrupt); !started) return started.error();
    return std::unique_ptr<queries::ItemRun>{std::move(items)};
  };
  return query;
}

void write_cypher_params(schema::json::Writer& out) {
  write_descriptors<CypherParams>(out);
}

}  // namespace whence::net
