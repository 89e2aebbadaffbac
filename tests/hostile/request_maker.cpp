#include "tests/hostile/request_maker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace whence::test {
namespace {

namespace json = boost::json;

/// Those of a connection, and those that name places on the server.
std::set<std::string_view> const left_out = {"session.hello", "subscribe", "unsubscribe", "admin.backup",
                                             "admin.restore"};
/// Else there is soon nothing left to read, or nothing else is done.
std::set<std::string_view> const rare = {"records.purge", "admin.verify", "admin.retention", "export.start",
                                         "lineage.stale"};
constexpr std::array<std::string_view, 16> texts = {"",
                                                    "a",
                                                    "cu_a",
                                                    "agent",
                                                    "2025-10-20T09:00:00Z",
                                                    "2025-10-20T09:00:00.123456789Z",
                                                    "Größe",
                                                    std::string_view{"\0", 1},
                                                    "[doc, p.5]",
                                                    "<a/>",
                                                    "%",
                                                    "0",
                                                    "-1",
                                                    "1e999",
                                                    "NaN",
                                                    "plan"};
constexpr std::array numbers = {0.0,     1.0,      -1.0,      2.0,
                                0.5,     3.0,      5e-324,    1e-7,
                                0x1p53,  1e300,    -0.0,      std::numeric_limits<double>::max(),
                                -0x1p53, 1e15 + 1, 0.1 + 0.2, std::numeric_limits<double>::lowest()};
constexpr std::array<std::int64_t, 10> integers = {0,
                                                   1,
                                                   -1,
                                                   2,
                                                   3,
                                                   10,
                                                   std::int64_t{1} << 53,
                                                   std::int64_t{1} << 32,
                                                   std::numeric_limits<std::int64_t>::max(),
                                                   std::numeric_limits<std::int64_t>::min()};
constexpr std::array<std::string_view, 8> moments = {"1970-01-01T00:00:00Z",           "2025-10-12T18:30:20Z",
                                                     "2025-10-20T09:00:00Z",           "2025-10-20T09:00:00.000000001Z",
                                                     "2025-10-23T09:00:00Z",           "2025-10-23T11:00:00+02:00",
                                                     "9999-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00Z"};
constexpr std::array<std::string_view, 22> queries = {
    "MATCH (n) RETURN n LIMIT 20",
    "MATCH p = (a)-[:INFLUENCES*1..3]->(b) RETURN p LIMIT 20",
    "MATCH (n) RETURN labels(n), count(*), avg(n.score), stDev(n.weight), percentileCont(n.confidence, 0.5)",
    "CALL whence.lineage.influence($ref) YIELD node, share RETURN node, share LIMIT 5",
    "RETURN 1/0.0, 0.0/0, -1/0.0, 10^400, sqrt(-1), log(0), log(-1), toInteger(1e300), toFloat('NaN'), "
    "toFloat('1e999')",
    "RETURN $number, $number * 1e308, $number / 1e-308, $number % 0.3, -$number, abs($number), [$number, {a: $number * "
    "1e300}]",
    "MATCH ()-[r]->() RETURN type(r), sum(r.weight), stDev(r.weight), max(r.tx), collect(r.weight)[0..3]",
    "UNWIND range(1, 1000) AS x RETURN sum(x * 1e308), avg(x * 1e306), collect(x)[-1]",
    "MATCH (n) RETURN n.timestamp, n.createdAt ORDER BY n.timestamp LIMIT 9",
    "MATCH (n {id: $id}) OPTIONAL MATCH (n)-[r]-(m) RETURN n, r, m LIMIT 30",
    "MATCH (n) WHERE n.timestamp > datetime($time) RETURN n.ref, duration.between(n.timestamp, datetime($time)) LIMIT "
    "9",
    "AT TX 3 MATCH (n) RETURN count(n)",
    "AT TIME '2025-10-20T09:00:00Z' MATCH (n)-[r]->(m) RETURN n, type(r), m LIMIT 9",
    "MATCH p = shortestPath((a)-[*..4]->(b)) WHERE a <> b RETURN length(p), nodes(p), relationships(p) LIMIT 3",
    "CALL whence.impact.analyze([$ref]) YIELD node, share RETURN node.ref, sum(share)",
    "MATCH (r:Response) RETURN r.agent, avg(r.latency_ms), min(r.timestamp), collect(DISTINCT r.model)",
    "MATCH (n) WITH n ORDER BY n.ref SKIP 3 LIMIT 5 MATCH (n)<-[:INFLUENCES*]-(m) RETURN n.ref, count(DISTINCT m)",
    "UNWIND [null, 1, 'a', [1], {a: 1}, true, 1.5, date('2025-10-20')] AS x RETURN x ORDER BY x",
    "SHOW PROCEDURES",
    "CALL whence.search($text) YIELD node RETURN node LIMIT 5",
    "PROFILE MATCH (u:ContextUnit) WHERE u.status = 'deprecated' RETURN u",
    "RETURN substring($text, 1, 3), split($text, ''), left($text, 9223372036854775807), range(0, "
    "9223372036854775807)[1], point({x: $number, y: 1})"};

constexpr std::size_t refs_max = 2'000;
constexpr std::size_t records_max = 200;
constexpr std::size_t pages_max = 30;

/// Of which type the id is that a member of this name holds.
std::string_view type_named_by(std::string_view member) {
  static std::map<std::string_view, std::string_view> const types = {{"topic", "Topic"},
                                                                     {"topicId", "Topic"},
                                                                     {"messageId", "Message"},
                                                                     {"request_id", "Query"},
                                                                     {"response_id", "Response"},
                                                                     {"hash", "XMLMessageAttachment"},
                                                                     {"userId", "Discussion"},
                                                                     {"discussionId", "Discussion"},
                                                                     {"modelId", "SystemPromptTemplate"},
                                                                     {"document", "Document"},
                                                                     {"context_unit_id", "ContextUnit"}};
  auto const found = types.find(member);
  return found == types.end() ? std::string_view{} : found->second;
}

/// Adds to a full list in place of another.
template <class T>
void keep(std::vector<T>& items, T item, std::size_t max, std::size_t random) {
  if (items.size() < max) {
    items.push_back(std::move(item));
  } else {
    items[random % max] = std::move(item);
  }
}

template <class T>
std::optional<T> bound(json::object const& schema, std::string_view name) {
  auto const* const found = schema.if_contains(name);
  if (found == nullptr) return std::nullopt;
  return found->to_number<T>();
}

}  // namespace

RequestMaker::RequestMaker(json::object const& described, std::uint64_t seed)
    : schemas_(described.at("components").at("schemas").as_object()), chance_(seed) {
  for (json::value const& each : described.at("methods").as_array()) {
    if (!left_out.contains(each.at("name").as_string())) methods_.push_back(&each.as_object());
  }
}

void RequestMaker::know(std::string ref) {
  auto const colon = ref.find(':');
  if (colon != std::string::npos) keep(ids_[ref.substr(0, colon)], ref.substr(colon + 1), refs_max, chance_());
  keep(refs_, std::move(ref), refs_max, chance_());
}

json::object RequestMaker::make() {
  if (!pages_.empty() && is_one_in(12)) {
    auto const& page = any_of(pages_);
    return {{"jsonrpc", "2.0"}, {"id", ++made_}, {"method", page.method}, {"params", page.params}};
  }
  auto const& chosen = method();
  auto params = params_of(chosen);
  settle(chosen.at("name").as_string(), params);
  return {{"jsonrpc", "2.0"}, {"id", ++made_}, {"method", chosen.at("name")}, {"params", std::move(params)}};
}

json::object const& RequestMaker::method() {
  for (;;) {
    auto const& chosen = *any_of(methods_);
    std::string_view const name = chosen.at("name").as_string();
    bool const is_read = chosen.at("x-role").as_string() == "read";
    if (rare.contains(name)) {
      if (is_one_in(20)) return chosen;
    } else if (is_read || is_one_in(4)) {
      return chosen;
    }
  }
}

json::object RequestMaker::params_of(json::object const& method) {
  json::object params;
  bool const is_example = is_one_in(10);
  if (auto const* const examples = method.if_contains("examples"); examples != nullptr && is_example) {
    for (json::value const& each : examples->at(0).at("params").as_array())
      params[each.at("name").as_string()] = each.at("value");
  }
  for (json::value const& each : method.at("params").as_array()) {
    std::string_view const name = each.at("name").as_string();
    if (params.contains(name) || name == "stream" || name == "cursor") continue;  // need a connection, the server
    if (!each.at("required").as_bool() && !is_one_in(is_example ? 20 : 5)) continue;
    params[name] = value(each.at("schema"), name, 0);
  }
  return params;
}

/// Gives a meaning to what the schemas leave open.
void RequestMaker::settle(std::string_view method, json::object& params) {
  for (auto const* const name : {"as_of", "as_of_a", "as_of_b"}) {
    if (params.contains(name)) params[name] = moment();
  }
  if (params.contains("min_tx")) params["min_tx"] = below(head_ + 1);  // one to come is waited for
  if (params.contains("timeout_ms") || method == "query") params["timeout_ms"] = is_one_in(20) ? 1 : 100;
  if (params.contains("job") && !jobs_.empty() && !is_one_in(20)) params["job"] = any_of(jobs_);
  if (method == "records.write" && !is_one_in(5)) params["records"] = records();
  if (method == "query") {
    params["cypher"] = any_of(queries);
    params["params"] = json::object{{"ref", any_of(refs_)},
                                    {"id", id_for("")},
                                    {"number", any_of(numbers)},
                                    {"text", any_of(texts)},
                                    {"time", any_of(moments)}};
  }
  auto const* const type = params.if_contains("type");
  if (params.contains("where") && type != nullptr && type->is_string())
    params["where"] = conditions(type->get_string());
}

json::value RequestMaker::value(json::value const& schema, std::string_view name, int depth) {
  auto const& rules = schema.as_object();
  if (auto const* const named = rules.if_contains("$ref")) {
    std::string_view const of = named->as_string();
    auto const found = of.substr(of.rfind('/') + 1);
    if (found == "Ref") return json::value(any_of(refs_));
    return value(schemas_.at(found), name, depth + 1);
  }
  for (auto const* const several : {"oneOf", "anyOf"}) {
    if (auto const* const either = rules.if_contains(several)) return value(any_of(either->as_array()), name, depth);
  }
  if (auto const* const only = rules.if_contains("const")) return *only;
  if (auto const* const each = rules.if_contains("enum")) return any_of(each->as_array());
  auto const* const types = rules.if_contains("type");
  if (types == nullptr) return json::object{};
  std::string_view const type = types->is_array() ? any_of(types->get_array()).as_string() : types->as_string();
  if (type == "boolean") return is_one_in(2);
  if (type == "number" || type == "integer") return number(rules, type == "integer");
  if (type == "string") return text(rules, name);
  if (type == "array") return array(rules, name, depth);
  if (type == "object") return object(rules, depth);
  return nullptr;
}

json::value RequestMaker::number(json::object const& schema, bool is_integer) {
  if (is_integer) {
    auto const low = bound<std::int64_t>(schema, "minimum").value_or(std::numeric_limits<std::int64_t>::min());
    auto const high = bound<std::int64_t>(schema, "maximum").value_or(std::numeric_limits<std::int64_t>::max());
    if (is_one_in(6)) return is_one_in(2) ? low : high;
    return std::clamp(any_of(integers), low, high);
  }
  auto const low = bound<double>(schema, "minimum").value_or(std::numeric_limits<double>::lowest());
  auto const high = bound<double>(schema, "maximum").value_or(std::numeric_limits<double>::max());
  if (is_one_in(6)) return is_one_in(2) ? low : high;
  return std::clamp(any_of(numbers), low, high);
}

std::string RequestMaker::id_for(std::string_view name) {
  auto const type = type_named_by(name);
  auto const found = ids_.find(type);
  std::string id;
  if (found != ids_.end() && !is_one_in(5)) {
    id = any_of(found->second);
  } else {
    auto const& ref = any_of(refs_);
    id = ref.substr(ref.find(':') + 1);
  }
  auto const slash = id.find('/');
  if (slash == std::string::npos || type != "Discussion") return id;
  return name == "userId" ? id.substr(0, slash) : id.substr(slash + 1);
}

json::value RequestMaker::text(json::object const& schema, std::string_view name) {
  auto const* const format = schema.if_contains("format");
  if (format != nullptr && format->as_string() == "date-time") return json::value(any_of(moments));
  if (format != nullptr && format->as_string() == "ref") return json::value(any_of(refs_));
  std::string chosen;
  if (auto const kind = below(10); kind < 6) {
    chosen = id_for(name);
  } else if (kind == 6) {
    chosen = std::string(1 + below(400), 'x');
  } else {
    chosen = any_of(texts);
  }
  auto const longest = bound<std::size_t>(schema, "maxLength").value_or(chosen.size());
  if (chosen.size() > longest) chosen = std::string(longest, 'x');
  if (auto const* const pattern = schema.if_contains("pattern")) {  // all are a beginning: ^cu_.
    std::string_view const begin = std::string_view{pattern->as_string()}.substr(1, pattern->as_string().size() - 2);
    if (!chosen.starts_with(begin) || chosen.size() == begin.size()) chosen = std::string{begin} + "x" + chosen;
    if (chosen.size() > longest) chosen.resize(longest);
  }
  if (chosen.size() < bound<std::size_t>(schema, "minLength").value_or(0))
    chosen.resize(*bound<std::size_t>(schema, "minLength"), 'x');
  return json::value(chosen);
}

json::value RequestMaker::array(json::object const& schema, std::string_view name, int depth) {
  auto const least = bound<std::size_t>(schema, "minItems").value_or(0);
  auto const most =
      std::max(least, std::min<std::size_t>(bound<std::size_t>(schema, "maxItems").value_or(3), depth > 4 ? 0 : 3));
  json::array made;
  auto const count = least + below(most - least + 1);
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(schema.contains("items") ? value(schema.at("items"), name, depth + 1) : json::value(nullptr));
  return made;
}

json::value RequestMaker::object(json::object const& schema, int depth) {
  json::object made;
  std::set<std::string_view> wanted;
  if (auto const* const required = schema.if_contains("required")) {
    for (json::value const& each : required->as_array()) wanted.emplace(each.as_string());
  }
  if (auto const* const known = schema.if_contains("properties")) {
    for (auto const& [name, rule] : known->as_object()) {
      if (wanted.contains(name) || (depth < 4 && below(5) < 2)) made[name] = value(rule, name, depth + 1);
    }
  }
  return made;
}

/// Records that were read, under new ids or with another value of a member, and some of the description alone.
json::array RequestMaker::records() {
  json::array made;
  for (auto count = 1 + below(3); count > 0; --count) {
    if (records_.empty() || is_one_in(4)) {
      made.push_back(value(schemas_.at("Record"), "", 0));
      continue;
    }
    auto record = any_of(records_);
    if (auto* const id = record.if_contains("id"); id != nullptr && id->is_string() && !is_one_in(4)) {
      std::string renamed{id->get_string()};
      *id = renamed.substr(0, 200) + "_" + std::to_string(below(5'000));
    }
    auto const* const schema = schemas_.if_contains(record.at("$type$").as_string());
    if (schema != nullptr && is_one_in(2)) {
      auto const& members = schema->at("properties").as_object();
      auto const& member = *std::next(members.begin(), static_cast<std::ptrdiff_t>(below(members.size())));
      record[member.key()] = value(member.value(), member.key(), 1);
    }
    made.emplace_back(std::move(record));
  }
  return made;
}

json::object RequestMaker::conditions(std::string_view type) {
  static constexpr std::array operators = {"eq", "lt", "lte", "gt", "gte", "prefix", "contains", "has"};
  json::object made;
  auto const* const schema = schemas_.if_contains(type);
  if (schema == nullptr) return made;
  auto const& members = schema->at("properties").as_object();
  for (auto count = below(3); count > 0; --count) {
    auto const& member = *std::next(members.begin(), static_cast<std::ptrdiff_t>(below(members.size())));
    auto operand = value(member.value(), member.key(), 1);
    if (!operand.is_string() && !operand.is_number() && !operand.is_bool()) operand = 1;
    if (is_one_in(3)) {
      made[member.key()] = std::move(operand);
    } else {
      made[member.key()] = json::object{{any_of(operators), std::move(operand)}};
    }
  }
  return made;
}

json::value RequestMaker::moment() {
  if (is_one_in(4)) return json::value(moments[below(4)]);  // none to come
  return below(head_ + 1);
}

void RequestMaker::learn(std::string_view method, json::object const& params, json::value const& result) {
  auto const* const members = result.if_object();
  if (members == nullptr) return;
  if (auto const* const tx = members->if_contains("tx"); tx != nullptr && tx->is_int64())
    head_ = std::max(head_, static_cast<std::uint64_t>(tx->get_int64()));
  if (auto const* const job = members->if_contains("job"); job != nullptr && job->is_string())
    keep(jobs_, std::string{job->get_string()}, pages_max, chance_());
  if (auto const* const cursor = members->if_contains("cursor"); cursor != nullptr && cursor->is_string()) {
    auto next = params;
    next["cursor"] = *cursor;
    keep(pages_, {std::string{method}, is_one_in(2) ? std::move(next) : json::object{{"cursor", *cursor}}}, pages_max,
         chance_());
  }
  if (auto const* const refs = members->if_contains("refs"); refs != nullptr && refs->is_array()) {
    for (json::value const& each : refs->get_array()) {
      if (each.is_string()) know(std::string{each.get_string()});
    }
  }
  auto const* const nodes = members->if_contains("nodes");
  if (nodes == nullptr || !nodes->is_array() || nodes->get_array().empty()) return;
  auto const& node = any_of(nodes->get_array());
  auto const* const record = node.is_object() ? node.get_object().if_contains("record") : nullptr;
  if (record != nullptr && record->is_object()) keep(records_, record->get_object(), records_max, chance_());
}

}  // namespace whence::test
