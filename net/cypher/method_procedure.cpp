// Arguments to params, an answer's items to rows.

#include "net/cypher/method_procedure.hpp"

#include "queries/cypher/values/components.hpp"
#include "queries/cypher/whence/json_value.hpp"
#include "queries/cypher/whence/view_graph.hpp"
#include "queries/render/page_source.hpp"
#include "queries/view/incomplete.hpp"
#include "schema/base/time.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::net {

namespace {

namespace cypher = queries::cypher;
namespace json = boost::json;
using cypher::ErrorKind;
using cypher::Outcome;
using cypher::QueryError;

/// Options that are about the call, not the method's own.
constexpr std::string_view as_of_option = "as_of";
constexpr std::string_view limit_option = "limit";

// Paths are found again from the first when more are pulled; so each time many more than before.
constexpr std::uint32_t prefix_items_first = 1'000;
constexpr std::uint32_t prefix_growth = 10;
constexpr std::uint32_t prefix_items_max = 100'000;
/// Of an answer whose lists the query itself cuts.
constexpr std::uint32_t bounded_items_max = 1'000'000;

// How many items are written at once: few where LIMIT may stop soon, more when records are to be read together.
constexpr std::size_t piece_first = 8;
constexpr std::size_t piece_max = 256;

constexpr std::uint64_t bytes_per_vertex = 64;
constexpr std::uint64_t bytes_per_item = 32;
constexpr std::uint64_t bytes_per_path = 1024;
constexpr std::uint64_t bytes_fixed = 512;
constexpr std::uint64_t bytes_per_text_byte = 4;  ///< as JSON values, and as values of a row

QueryError call_error(ErrorKind kind, std::string_view procedure, std::string detail, std::string_view message) {
  return {.kind = kind,
          .detail = std::move(detail),
          .message = std::string{procedure} + ": " + std::string{message},
          .is_compile_time = false};
}

ErrorKind kind_of_call(Errc code) {
  switch (code) {
    case Errc::invalid_params:
      return ErrorKind::argument_error;
    case Errc::not_found:
    case Errc::expired:
    case Errc::purged:
      return ErrorKind::entity_not_found;
    case Errc::limit_exceeded:
      return ErrorKind::limit_exceeded;
    case Errc::deadline_exceeded:
      return ErrorKind::timeout;
    case Errc::cancelled:
      return ErrorKind::cancelled;
    default:
      return ErrorKind::procedure_error;
  }
}

QueryError call_error(std::string_view procedure, Error const& error) {
  auto message = error.message;
  // The first violation is in the message.
  for (std::size_t i = 1; i < error.violations.size(); ++i) {
    auto const& each = error.violations[i];
    message.append("; ").append(each.path).append(" ").append(each.message);
  }
  return call_error(kind_of_call(error.code), procedure, std::string{name_of(error.code)}, message);
}

/// An argument as a param: a node as its ref, a time as its text of UTC, a date as its first moment, a whole float as
/// the integer that it is. None where JSON has no such value.
std::optional<json::value> param_of(cypher::Value const& value) {
  if (auto const whole = cypher::whole_number(value)) return json::value(*whole);
  if (auto const time = cypher::to_time(value)) return json::value(schema::format_rfc3339(*time));
  if (auto const* const node = value.find_node()) {
    auto const ref = node->graph->node_property(node->id, "ref");
    return ref.find_text() != nullptr ? std::optional<json::value>{json::value(*ref.find_text())} : std::nullopt;
  }
  if (auto const* const list = value.find_list()) {
    json::array made;
    for (auto const& each : *list) {
      auto item = param_of(each);
      if (!item) return std::nullopt;
      made.push_back(std::move(*item));
    }
    return made;
  }
  if (auto const* const map = value.find_map()) {
    json::object made;
    for (auto const& each : *map) {
      auto member = param_of(each.second);
      if (!member) return std::nullopt;
      made.emplace(each.first, std::move(*member));
    }
    return made;
  }
  if (value.find_relation() != nullptr || value.find_path() != nullptr) return std::nullopt;
  return cypher::to_json(value);
}

/// What a call was asked.
struct Asked {
  Query query;
  cypher::ViewGraph const* graph = nullptr;
  std::optional<std::uint32_t> limit = {};
};

/// Reads the arguments of one call.
class Arguments {
 public:
  Arguments(Method const& method, MethodShape const& shape, std::string_view procedure)
      : method_(method), shape_(shape), procedure_(procedure) {}

  [[nodiscard]] Outcome<Asked> read(cypher::PropertyGraph const& graph, cypher::List const& arguments) {
    Asked asked;
    asked.graph = dynamic_cast<cypher::ViewGraph const*>(&graph);
    if (asked.graph == nullptr) return refused("NoRecords", "this graph is not one of records");
    auto named = by_name(arguments);
    if (!named) return named.error();
    json::object params;
    for (auto const& [name, value] : *named) {
      if (value.is_null()) continue;
      if (name == as_of_option) {
        auto const past = moment_of_option(*asked.graph, value);
        if (!past) return past.error();
        asked.graph = *past;
        continue;
      }
      if (name == limit_option && method_.shape != Shape::whole) {
        auto const limit = cypher::whole_number(value);
        if (!limit || *limit < 1 || *limit > std::numeric_limits<std::uint32_t>::max())
          return refused("InvalidArgument", "`limit` is an integer from 1");
        asked.limit = static_cast<std::uint32_t>(*limit);
        continue;
      }
      if (name == "include") return refused("InvalidArgument", "`include` is no option here: a node has all it is");
      auto param = param_of(value);
      if (!param)
        return refused("InvalidArgument", "`" + name + "` holds a relation or a path, or a node of no record");
      if (takes_list(name) && !param->is_array()) param = json::array{std::move(*param)};
      params.emplace(name, std::move(*param));
    }
    if (method_.writes != nullptr && method_.writes(params)) {
      return call_error(ErrorKind::writing_refused, procedure_, std::string{procedure_},
                        "with these params it writes, and a query only reads");
    }
    auto query = method_.parse_query(params);
    if (!query) return call_error(procedure_, query.error());
    asked.query = std::move(*query);
    return asked;
  }

 private:
  using Named = std::vector<std::pair<std::string, cypher::Value>>;

  [[nodiscard]] QueryError refused(std::string detail, std::string_view message) const {
    return call_error(ErrorKind::argument_error, procedure_, std::move(detail), message);
  }

  [[nodiscard]] Outcome<Named> by_name(cypher::List const& arguments) const {
    Named named;
    auto const& parameters = shape_.parameters;
    auto const has_none_behind =
        std::all_of(arguments.begin() + 1, arguments.end(), [](auto const& each) { return each.is_null(); });
    auto const* const all = has_none_behind && !parameters.empty() ? arguments.front().find_map() : nullptr;
    if (all != nullptr) {
      for (auto const& each : *all) named.emplace_back(each.first, each.second);
      return named;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) named.emplace_back(parameters[i].name, arguments[i]);
    auto const& options = arguments[parameters.size()];
    if (options.is_null()) return named;
    if (options.find_map() == nullptr) return refused("InvalidArgumentType", "the options are a map");
    for (auto const& each : *options.find_map()) {
      if (std::ranges::find(parameters, each.first, &cypher::ProcedureField::name) != parameters.end())
        return refused("InvalidArgument", "`" + each.first + "` is given twice");
      named.emplace_back(each.first, each.second);
    }
    return named;
  }

  [[nodiscard]] bool takes_list(std::string_view name) const {
    for (auto const* const fields : {&shape_.parameters, &shape_.options}) {
      auto const found = std::ranges::find(*fields, name, &cypher::ProcedureField::name);
      if (found != fields->end()) return found->type.starts_with("LIST");
    }
    return false;
  }

  [[nodiscard]] Outcome<cypher::ViewGraph const*> moment_of_option(cypher::ViewGraph const& graph,
                                                                   cypher::Value const& value) const {
    cypher::Moment moment;
    if (auto const tx = cypher::whole_number(value)) {
      if (*tx < 0) return refused("InvalidArgument", "`as_of` is a transaction from 0, or a time");
      moment.tx = *tx;
    } else if (auto const time = cypher::to_time(value)) {
      moment = {.is_time = true, .time = *time};
    } else {
      auto const* const text = value.find_text();
      auto const parsed = text != nullptr ? schema::parse_rfc3339(*text) : std::optional<schema::Time>{};
      if (!parsed) return refused("InvalidArgument", "`as_of` is a transaction from 0, or a time");
      moment = {.is_time = true, .time = *parsed};
    }
    auto const past = graph.at(moment);
    if (!past) return past.error();
    return static_cast<cypher::ViewGraph const*>(*past);
  }

  Method const& method_;
  MethodShape const& shape_;
  std::string_view procedure_;
};

/// The rows of one call. Items are written as JSON, a piece at a time, and read from it.
class MethodRows final : public cypher::ProcedureRows {
 public:
  MethodRows(Method const& method, MethodShape const& shape, std::string_view procedure,
             cypher::ProcedureContext const& context, Asked asked)
      : method_(method), shape_(shape), procedure_(procedure), context_(context), asked_(std::move(asked)) {}

  [[nodiscard]] Outcome<void> start() {
    items_asked_ = asked_.limit.value_or(method_.shape == Shape::prefix ? prefix_items_first : bounded_items_max);
    // A bounded answer was cut by its query: its limit is one of nodes, not of rows.
    if (asked_.limit && method_.shape != Shape::bounded) left_ = *asked_.limit;
    if (auto evaluated = evaluate(); !evaluated) return evaluated.error();
    return read_beside();
  }

  [[nodiscard]] Outcome<bool> next(cypher::List& row) override {
    if (shape_.lists.empty()) return std::exchange(is_single_given_, true) ? false : (row = beside_, true);
    if (left_ == 0) return false;
    while (piece_at_ == piece_.size()) {
      auto const more = read_piece();
      if (!more) return more.error();
      if (!*more) return is_only_beside() && !std::exchange(is_single_given_, true) ? (row = beside_, true) : false;
    }
    row = beside_;
    auto const* const list = piece_list_;
    if (shape_.list_column) row[*shape_.list_column] = list->name;
    auto const& item = piece_[piece_at_++];
    if (list->relation_column) row[*list->relation_column] = relation_of(item);
    if (item.is_object()) fill(row, list->members, item.get_object());
    --left_;
    return true;
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept override {
    auto const bytes_of_item = method_.shape == Shape::prefix ? bytes_per_path : bytes_per_item;
    return bytes_fixed + items_ * bytes_of_item + bytes_per_text_byte * (piece_bytes_ + beside_bytes_);
  }

 private:
  /// Items that were written with the members beside the lists.
  struct ListBeside {
    ShapeList const* list;
    json::array items;
  };

  [[nodiscard]] QueryError limit_error(std::string detail, std::string_view message) const {
    return call_error(ErrorKind::limit_exceeded, procedure_, std::move(detail), message);
  }

  [[nodiscard]] Outcome<void> evaluate() {
    queries::Budget budget{.interrupt = context_.interrupt, .vertices_max = context_.bytes_max / bytes_per_vertex};
    if (asked_.limit && method_.shape == Shape::list) budget.ordered_items = *asked_.limit;
    auto source = asked_.query.answer(asked_.graph->view(), items_asked_, budget);
    if (!source) return call_error(procedure_, source.error());
    source_ = std::move(*source);
    items_ = 0;
    for (auto const& list : source_.lists) items_ += list.size;
    for (auto const& attached : source_.attached) items_ += 2 * attached.anchors.size();
    return check_whole();
  }

  /// Refuses an answer that is cut by another bound than the caller's own.
  [[nodiscard]] Outcome<void> check_whole() const {
    switch (source_.incomplete) {
      case queries::Incomplete::nodes:
        return limit_error("bytes", "it reaches more nodes than the query's memory holds");
      case queries::Incomplete::index:
        return call_error(ErrorKind::procedure_error, procedure_, "IndexIncomplete",
                          "the index of texts has not read everything yet: ask again later");
      case queries::Incomplete::limit:
        if (asked_.limit || method_.shape == Shape::prefix) return {};
        return limit_error("items", "there are more than it gives at once: give it a `limit`");
      case queries::Incomplete::depth:      // as asked
      case queries::Incomplete::cycle_cut:  // `cut_edges` says what was not followed
      case queries::Incomplete::no:
        break;
    }
    return {};
  }

  [[nodiscard]] Outcome<void> read_beside() {
    beside_.assign(shape_.columns.size(), {});
    std::string text;
    schema::json::Writer out{text};
    out.begin_object();
    if (source_.write_members) source_.write_members(out);
    if (shape_.lists.empty()) {
      for (auto const& list : source_.lists) {
        out.key(list.name).begin_array();
        if (auto const written = list.write(out, 0, list.size); !written)
          return call_error(procedure_, written.error());
        out.end_array();
      }
    }
    out.end_object();
    auto parsed = schema::json::parse(text, depth_max);
    if (!parsed) return call_error(procedure_, parsed.error());
    auto& members = parsed->value.get_object();
    fill(beside_, shape_.beside, members);
    // A bounded answer may have a list among them.
    for (auto const& list : shape_.lists) {
      if (auto* const found = members.if_contains(list.name))
        listed_beside_.push_back({&list, std::move(found->get_array())});
    }
    beside_bytes_ = text.size();
    return {};
  }

  /// Whether only the members beside the lists were asked for.
  [[nodiscard]] bool is_only_beside() const {
    return source_.lists.empty() && source_.attached.empty() && listed_beside_.empty();
  }

  [[nodiscard]] ShapeList const* shape_of_list(std::string_view name) const {
    auto const found = std::ranges::find(shape_.lists, name, &ShapeList::name);
    return found != shape_.lists.end() ? &*found : nullptr;
  }

  /// The next items. False: there are none.
  [[nodiscard]] Outcome<bool> read_piece() {
    piece_.clear();
    piece_at_ = 0;
    for (;;) {
      auto const lists = source_.lists.size();
      if (list_ >= lists + source_.attached.size()) {
        auto const place = list_ - lists - source_.attached.size();
        if (place == listed_beside_.size()) return false;
        ++list_;
        piece_list_ = listed_beside_[place].list;
        piece_ = std::move(listed_beside_[place].items);
        if (piece_.empty()) continue;
        return true;
      }
      bool const is_attached = list_ >= lists;
      auto const size = is_attached ? source_.attached[list_ - lists].anchors.size() : source_.lists[list_].size;
      if (item_ < size) return write_piece(is_attached, size);
      if (!is_attached && method_.shape == Shape::prefix) {
        auto const grown = grow();
        if (!grown) return grown.error();
        if (*grown) continue;
      }
      ++list_;
      item_ = 0;
    }
  }

  /// Asks for more of a prefix, where there is more. False: there is not.
  [[nodiscard]] Outcome<bool> grow() {
    if (asked_.limit || source_.incomplete != queries::Incomplete::limit) return false;
    if (items_asked_ == prefix_items_max)
      return limit_error("items", "there are more than " + std::to_string(prefix_items_max));
    items_asked_ = std::min(prefix_items_max, items_asked_ * prefix_growth);
    auto const before = source_.lists[list_].size;
    if (auto evaluated = evaluate(); !evaluated) return evaluated.error();
    return source_.lists[list_].size > before;
  }

  [[nodiscard]] Outcome<bool> write_piece(bool is_attached, std::size_t size) {
    auto const end = std::min({size, item_ + piece_items_, item_ + std::size_t{left_}});
    piece_items_ = std::min(piece_max, piece_items_ * 2);
    std::string text;
    schema::json::Writer out{text};
    out.begin_array();
    std::string_view name;
    if (is_attached) {
      auto const& attached = source_.attached[list_ - source_.lists.size()];
      name = attached.name;
      for (; item_ < end; ++item_) {
        if (auto const written = attached.write(out, item_); !written) return call_error(procedure_, written.error());
      }
    } else {
      name = source_.lists[list_].name;
      if (auto const written = source_.lists[list_].write(out, item_, end); !written)
        return call_error(procedure_, written.error());
      item_ = end;
    }
    out.end_array();
    piece_list_ = shape_of_list(name);
    if (piece_list_ == nullptr)
      return call_error(ErrorKind::procedure_error, procedure_, "UnknownList", "it answers a list that has no schema");
    auto parsed = schema::json::parse(text, depth_max);
    if (!parsed) return call_error(procedure_, parsed.error());
    piece_ = std::move(parsed->value.get_array());
    piece_bytes_ = text.size();
    return true;
  }

  void fill(cypher::List& row, std::vector<ShapeMember> const& members, json::object const& object) const {
    for (auto const& member : members) {
      auto const* const found = object.if_contains(member.name);
      if (found != nullptr) row[member.column] = value_of(*found, member.form);
    }
  }

  [[nodiscard]] cypher::Value value_of(json::value const& value, MemberForm form) const {
    if (form == MemberForm::plain || value.is_null()) return cypher::from_json(value);
    if (value.is_array()) {
      cypher::List made;
      for (auto const& each : value.get_array()) {
        auto item = value_of(each, form);
        made.push_back(item.is_null() ? cypher::from_json(each) : std::move(item));
      }
      return made;
    }
    switch (form) {
      case MemberForm::ref:
        return node_of(value);
      case MemberForm::edge:
        return relation_of(value);
      case MemberForm::time: {
        auto const time =
            value.is_string() ? schema::parse_rfc3339(std::string_view{value.get_string()}) : std::nullopt;
        return time ? cypher::from_time(*time) : cypher::from_json(value);
      }
      case MemberForm::real:
        return value.is_number() ? cypher::Value{value.to_number<double>()} : cypher::from_json(value);
      case MemberForm::plain:
        break;
    }
    return cypher::from_json(value);
  }

  [[nodiscard]] std::optional<graph::VertexId> vertex_of(json::value const& ref) const {
    if (!ref.is_string()) return std::nullopt;
    auto const parsed = schema::parse_ref(std::string_view{ref.get_string()});
    if (!parsed) return std::nullopt;
    return asked_.graph->view().snapshot.find(parsed->type, parsed->id);
  }

  [[nodiscard]] cypher::Value node_of(json::value const& ref) const {
    auto const vertex = vertex_of(ref);
    if (!vertex) return {};
    return cypher::Node{.graph = asked_.graph, .id = schema::number(*vertex)};
  }

  [[nodiscard]] cypher::Value relation_of(json::value const& edge) const {
    auto const* const object = edge.if_object();
    if (object == nullptr) return {};
    auto const from = vertex_of(object->at("from"));
    auto const to = vertex_of(object->at("to"));
    auto const type = schema::find_edge_type(std::string_view{object->at("type").get_string()});
    if (!from || !to || !type) return {};
    auto const found = asked_.graph->find_relation(*from, *to, *type);
    return found ? cypher::Value{*found} : cypher::Value{};
  }

  static constexpr std::size_t depth_max = schema::limits::json_depth_max + 8;  ///< a record within an answer

  Method const& method_;
  MethodShape const& shape_;
  std::string_view procedure_;
  cypher::ProcedureContext context_;
  Asked asked_;
  std::uint32_t items_asked_ = 0;
  std::uint32_t left_ = std::numeric_limits<std::uint32_t>::max();  ///< rows that may still be given
  queries::PageSource source_ = {};
  std::uint64_t items_ = 0;
  cypher::List beside_ = {};  ///< a row with what is the same in all
  std::vector<ListBeside> listed_beside_ = {};
  std::size_t beside_bytes_ = 0;
  bool is_single_given_ = false;
  std::size_t list_ = 0;  ///< of the source's lists, then of the attached ones, then of those beside them
  std::size_t item_ = 0;  ///< the next that is written
  std::size_t piece_items_ = piece_first;
  json::array piece_ = {};
  std::size_t piece_at_ = 0;
  std::size_t piece_bytes_ = 0;
  ShapeList const* piece_list_ = nullptr;
};

double rows_of_shape(Method const& method, MethodShape const& shape) {
  if (shape.lists.empty()) return 1;
  return method.shape == Shape::list ? 100 : 10;
}

}  // namespace

bool is_procedure(Method const& method) noexcept {
  return method.kind == Kind::read && method.name != "query";
}

cypher::Procedure procedure_of(Method const& method, MethodShape shape) {
  cypher::Procedure made;
  made.name = std::string{procedure_prefix} + std::string{method.name};
  made.parameters = shape.parameters;
  made.parameters.push_back({.name = "options", .type = "MAP", .is_optional = true, .doc = "The rest, by name."});
  made.columns = shape.columns;
  made.options = shape.options;
  made.options.push_back({.name = std::string{as_of_option},
                          .is_optional = true,
                          .doc = "The moment read, where it is not the query's: a transaction or a time."});
  if (method.shape != Shape::whole)
    made.options.push_back({.name = std::string{limit_option},
                            .type = "INTEGER",
                            .is_optional = true,
                            .doc = method.shape == Shape::bounded ? "Nodes at most." : "Rows at most."});
  made.doc = std::string{method.doc};
  made.takes_map = true;
  made.rows_estimate = rows_of_shape(method, shape);
  auto const shared = std::make_shared<MethodShape const>(std::move(shape));
  made.call = [&method, shared, name = made.name](
                  cypher::ProcedureContext const& context,
                  cypher::List const& arguments) -> Outcome<std::unique_ptr<cypher::ProcedureRows>> {
    auto asked = Arguments{method, *shared, name}.read(context.graph, arguments);
    if (!asked) return asked.error();
    auto rows = std::make_unique<MethodRows>(method, *shared, name, context, std::move(*asked));
    if (auto const started = rows->start(); !started) return started.error();
    return std::unique_ptr<cypher::ProcedureRows>{std::move(rows)};
  };
  return made;
}

}  // namespace whence::net
