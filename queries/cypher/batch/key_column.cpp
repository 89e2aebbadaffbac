// Values that are the same may be shown differently, as 1 and 1.0 are. They have numbers of their own, which `unite`
// makes one: the group then shows the value that came first.
#include "queries/cypher/batch/key_column.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/functions/function.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace whence::queries::cypher {

namespace {

/// Whether two values that are the same are also shown alike.
bool is_alike(Value const& a, Value const& b) {
  if (a.type() != b.type()) return false;
  if (a.type() == ValueType::floating) return std::signbit(a.number()) == std::signbit(b.number());
  if (auto const* list = a.find_list()) return std::ranges::equal(*list, *b.find_list(), is_alike);
  if (auto const* map = a.find_map()) {
    return std::ranges::equal(*map, *b.find_map(),
                              [](auto const& one, auto const& other) { return is_alike(one.second, other.second); });
  }
  return true;
}

}  // namespace

std::uint32_t ValueNumbers::number_of(Value const& value) {
  auto const number = static_cast<std::uint32_t>(values_.size());
  auto const [found, is_new] = numbers_.emplace(value, number);
  if (!is_new) {
    auto at = found->second;
    while (!is_alike(values_[at], value) && next_[at] != at) at = next_[at];
    if (is_alike(values_[at], value)) return at;
    next_[at] = number;
    has_unlike_ = true;
  }
  values_.push_back(value);
  first_.push_back(found->second);
  next_.push_back(number);
  auto const bytes = 136 + bytes_of(value);
  bytes_ += bytes;
  static_cast<void>(state_.hold(bytes));
  return number;
}

namespace {

/// The node itself, or a property that no two nodes share: the node's number is the key's.
class NodeKey final : public KeyColumn {
 public:
  NodeKey(Expression const& expression, Column column, Slot slot, PropertyGraph const& graph, RunState& state)
      : expression_(expression), column_(column), slot_(slot), graph_(graph), state_(state) {}

  bool read(Batch const& batch, Row& /*row*/, std::vector<std::uint32_t>& numbers) override {
    numbers = batch.nodes[column_];
    return true;
  }
  Value value_of(std::uint32_t number, Row& row) override {
    row[slot_] = Node{&graph_, number};
    return evaluate(expression_, row, state_);
  }
  std::uint64_t bound() const override { return graph_.node_bound(); }

 private:
  Expression const& expression_;
  Column column_;
  Slot slot_;
  PropertyGraph const& graph_;
  RunState& state_;
};

/// A value that is evaluated for each row, or once for each node where it depends on one that may come again.
class EvaluatedKey : public KeyColumn {
 public:
  EvaluatedKey(Expression const& expression, RowFiller filler, std::optional<Column> only_node, RunState& state)
      : numbers_(state), expression_(expression), filler_(std::move(filler)), only_node_(only_node), state_(state) {}

  bool read(Batch const& batch, Row& row, std::vector<std::uint32_t>& numbers) override {
    numbers.resize(batch.size);
    for (std::size_t i = 0; i < batch.size; ++i) {
      if (!only_node_) {
        numbers[i] = evaluated(batch, i, row);
      } else {
        auto const place = nodes_.number_of(0, batch.nodes[*only_node_][i]);
        if (place == of_node_.size()) of_node_.push_back(evaluated(batch, i, row));
        numbers[i] = of_node_[place];
      }
      if (state_.failed()) return false;
    }
    return true;
  }
  void unite(std::vector<std::uint32_t>& numbers) const override {
    if (!numbers_.has_unlike()) return;
    for (auto& number : numbers) number = numbers_.first_of(number);
  }
  Value value_of(std::uint32_t number, Row& /*row*/) override { return numbers_[number]; }
  std::uint64_t bound() const override { return numbers_.size(); }
  std::uint64_t held() const override { return numbers_.bytes(); }
  bool reads_nodes() const override { return true; }

 protected:
  [[nodiscard]] std::uint32_t evaluated(Batch const& batch, std::size_t i, Row& row) {
    filler_.fill(row, batch, i);
    return numbers_.number_of(evaluate(expression_, row, state_));
  }

  ValueNumbers numbers_;

 private:
  Expression const& expression_;
  RowFiller filler_;
  std::optional<Column> only_node_;
  RunState& state_;
  PairNumbers nodes_;  ///< that came already
  std::vector<std::uint32_t> of_node_;
};

/// What `date(n.name)` or `left(toString(n.name), 7)` is made from.
Expression const& property_of_day(Expression const& expression) {
  auto const& first = *expression.operands[0];
  return first.is<Invocation>() && !first.operands.empty() ? *first.operands[0] : first;
}

/// A property that the graph has as texts in memory.
class TextKey final : public EvaluatedKey {
 public:
  TextKey(Expression const& expression, RowFiller filler, Column column, NameId label, PropertyGraph const& graph,
          RunState& state)
      : EvaluatedKey(expression, std::move(filler), std::nullopt, state),
        name_(property_read(expression).name),
        column_(column),
        label_(label),
        texts_(graph) {}

  bool read(Batch const& batch, Row& row, std::vector<std::uint32_t>& numbers) override {
    numbers.resize(batch.size);
    known_.clear();
    auto const visit = [&](std::size_t i, std::optional<std::string_view> const& text) {
      numbers[i] = text ? number_of(*text) : number_of_null();
    };
    for (auto const i : texts_.texts(label_, batch.nodes[column_], name_, visit)) numbers[i] = evaluated(batch, i, row);
    return true;
  }
  bool reads_nodes() const override { return false; }

 private:
  /// Texts lie where they lie as long as the graph visits them: the few of one batch are known by their place.
  [[nodiscard]] std::uint32_t number_of(std::string_view text) {
    for (auto const& each : known_) {
      if (each.first == text.data() && each.second.first == text.size()) return each.second.second;
    }
    auto const number = numbers_.number_of(Value{std::string{text}});
    constexpr std::size_t few = 32;
    if (known_.size() < few) known_.push_back({text.data(), {text.size(), number}});
    return number;
  }
  [[nodiscard]] std::uint32_t number_of_null() { return numbers_.number_of(Value{}); }

  std::string_view name_;
  Column column_;
  NameId label_;
  PropertyGraph const& texts_;
  std::vector<std::pair<char const*, std::pair<std::size_t, std::uint32_t>>> known_;
};

/// The date of a moment, or the beginning of its text, which begins with the date: the same for all moments of a day.
class DayKey final : public EvaluatedKey {
 public:
  DayKey(Expression const& expression, RowFiller filler, Column column, PropertyGraph const& graph, RunState& state)
      : EvaluatedKey(expression, std::move(filler), std::nullopt, state),
        name_(property_read(property_of_day(expression)).name),
        column_(column),
        days_(graph) {}

  bool read(Batch const& batch, Row& row, std::vector<std::uint32_t>& numbers) override {
    numbers.resize(batch.size);
    for (std::size_t i = 0; i < batch.size; ++i) {
      auto const day = days_.day_of(batch.nodes[column_][i], name_);
      if (!day) {
        numbers[i] = evaluated(batch, i, row);
        continue;
      }
      if (day != last_day_) {
        auto const [known, is_new] = by_day_.try_emplace(*day, 0);
        if (is_new) known->second = evaluated(batch, i, row);
        last_day_ = day;
        last_number_ = known->second;
      }
      numbers[i] = last_number_;
    }
    return true;
  }
  bool reads_nodes() const override { return false; }

 private:
  std::string_view name_;
  Column column_;
  PropertyGraph const& days_;
  std::unordered_map<std::int64_t, std::uint32_t> by_day_;
  std::optional<std::int64_t> last_day_;
  std::uint32_t last_number_ = 0;
};

/// `n.name`, where `n` has a column.
std::optional<Slot> node_of_property(Expression const& expression, SlotColumns const& columns) {
  auto const slot = property_read(expression).slot;
  return slot != no_slot && columns.nodes[slot] ? std::optional{slot} : std::nullopt;
}

std::int64_t literal_of(Expression const& expression) {
  auto const* literal = expression.find<Literal>();
  auto const* number = literal != nullptr ? literal->value.find_integer() : nullptr;
  return number != nullptr ? *number : -1;
}

bool is_call_of(Expression const& expression, std::string_view name, std::size_t arguments) {
  auto const* call = expression.find<Invocation>();
  return call != nullptr && call->function != nullptr && call->function->name == name &&
         expression.operands.size() == arguments;
}

/// `date(n.name)`; `substring(toString(n.name), 0, 7)`, `left(toString(n.name), 7)`: at most the ten bytes of a date,
/// whose texts are all as long.
bool is_of_day(Expression const& expression) {
  constexpr std::int64_t date_bytes = 10;
  auto const& of = expression.operands;
  if (is_call_of(expression, "date", 1)) return true;
  if (of.empty() || of[0] == nullptr || !is_call_of(*of[0], "toString", 1)) return false;
  auto const count = is_call_of(expression, "substring", 3) && literal_of(*of[1]) == 0 ? literal_of(*of[2])
                     : is_call_of(expression, "left", 2)                               ? literal_of(*of[1])
                                                                                       : -1;
  return count >= 0 && count <= date_bytes;
}

bool is_repeatable(Expression const& expression) {
  auto const* call = expression.find<Invocation>();
  if (call != nullptr && (call->function == nullptr || !call->function->is_constant)) return false;
  return std::ranges::all_of(expression.operands,
                             [](ExpressionPtr const& each) { return each == nullptr || is_repeatable(*each); });
}

}  // namespace

std::unique_ptr<KeyColumn> make_key_column(Expression const& expression, SlotColumns const& columns,
                                           SlotFacts const& facts, PropertyGraph const& graph, RunState& state) {
  if (auto const slot = slot_of(expression); slot != no_slot && columns.nodes[slot])
    return std::make_unique<NodeKey>(expression, *columns.nodes[slot], slot, graph, state);
  auto filler = filler_of(expression, columns, &graph);
  if (!filler) return nullptr;
  if (auto const slot = node_of_property(expression, columns)) {
    auto const& name = std::get<PropertyLookup>(expression.form).name;
    if (graph.is_unique(facts.labels[*slot], name))
      return std::make_unique<NodeKey>(expression, *columns.nodes[*slot], *slot, graph, state);
    if (facts.labels[*slot] && graph.has_texts(*facts.labels[*slot], name)) {
      return std::make_unique<TextKey>(expression, *std::move(filler), *columns.nodes[*slot], *facts.labels[*slot],
                                       graph, state);
    }
  }
  if (is_of_day(expression)) {
    if (auto const slot = node_of_property(property_of_day(expression), columns))
      return std::make_unique<DayKey>(expression, *std::move(filler), *columns.nodes[*slot], graph, state);
  }
  std::optional<Column> only_node;
  if (filler->slots.size() == 1 && !facts.comes_once[filler->slots[0].first] && is_repeatable(expression))
    only_node = filler->slots[0].second;
  return std::make_unique<EvaluatedKey>(expression, *std::move(filler), only_node, state);
}

}  // namespace whence::queries::cypher
