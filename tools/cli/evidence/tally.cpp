// Events are distinguished by what a subscription says of them: net/PROTOCOL.md, Events.

#include "tools/cli/evidence/tally.hpp"

#include "net/plain_text/cell.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"

#include <algorithm>
#include <tuple>

namespace whence::tools {
namespace {

namespace json = boost::json;
using net::plain_text::cell;

std::uint64_t whole_number(json::object const& object, std::string_view name) {
  json::value const* const value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return 0;
  boost::system::error_code failed;
  auto const number = value->to_number<std::uint64_t>(failed);
  return failed ? 0 : number;
}

std::string type_in(std::string_view ref) {
  return std::string(ref.substr(0, ref.find(':')));
}

/// What a rating or a decision is about; empty for other records.
std::string subject_in(json::object const& record) {
  std::string subject = cell(record, "subject");
  if (subject.empty()) subject = cell(record, "ref");
  if (subject.empty() && record.contains("response_id")) subject = "Response:" + cell(record, "response_id");
  return subject;
}

std::string agent_name(std::string const& name) {
  return "agent " + name;
}

std::string topic_name(std::string const& id) {
  return "topic " + id;
}

json::object counts_of(std::map<std::string, std::uint64_t> const& counts) {
  json::object object;
  for (auto const& [name, count] : counts) object[name] = count;
  return object;
}

void copy_texts(json::object& into, json::object const& from, std::initializer_list<std::string_view> names) {
  for (auto const name : names) {
    if (json::value const* const value = from.if_contains(name)) into[name] = *value;
  }
}

}  // namespace

void Tally::Listed::add(json::object entry) {
  if (list.size() < listed_max) list.emplace_back(std::move(entry));
  ++count;
}

json::object Tally::Listed::as_object() const {
  return {{"count", count}, {"list", list}, {"left", count - list.size()}};
}

/// A record of the scope brings in what was said about it, and what becomes of it later. Once it was deleted, its ref
/// may be another's.
bool Tally::is_in_scope(json::object const& event) {
  if (scope_.agents.empty() && scope_.topics.empty()) return true;
  std::string const ref = cell(event, "ref");
  // Of what was deleted, an end of its content names the transaction that put it.
  if (event.contains("put")) return ended_.contains({ref, whole_number(event, "put")});
  if (auto const found = in_scope_.find(ref); found != in_scope_.end()) {
    if (cell(event, "op") != "delete") return true;
    ended_.emplace(*found);
    in_scope_.erase(found);
    return true;
  }
  json::object const* const record = schema::json::find_object(event, "record");
  if (record == nullptr) return false;
  auto const is_named = [&](std::vector<std::string> const& names, std::string_view member) {
    auto const found = std::ranges::find(names, cell(*record, member));
    if (found == names.end()) return false;
    met_.insert(&names == &scope_.agents ? agent_name(*found) : topic_name(*found));
    return true;
  };
  bool const is_topic = type_in(ref) == "Topic" && is_named(scope_.topics, "id");
  bool const is_its = is_topic || is_named(scope_.agents, "agent") || is_named(scope_.topics, "topicId") ||
                      is_named(scope_.topics, "topic");
  if (!is_its && !in_scope_.contains(subject_in(*record))) return false;
  in_scope_.emplace(ref, whole_number(event, "tx"));
  return true;
}

std::vector<std::string> Tally::unmet() const {
  std::vector<std::string> names;
  for (auto const& agent : scope_.agents) names.push_back(agent_name(agent));
  for (auto const& topic : scope_.topics) names.push_back(topic_name(topic));
  std::erase_if(names, [&](auto const& name) { return met_.contains(name); });
  return names;
}

CallResult<bool> Tally::take(std::string_view line) {
  auto const document = schema::json::parse(line, answer_depth_max);
  if (!document || !document->value.is_object()) return CallError{.message = "a line of the history is no event"};
  json::object const& event = document->value.get_object();
  auto const at = schema::parse_rfc3339(cell(event, "at"));
  if (!at) return CallError{.message = "an event of the history has no time"};
  bool const is_of_scope = is_in_scope(event);
  if (*at < scope_.from) {
    pieces_.pass(whole_number(event, "tx"));
    return false;
  }
  note_time(event);
  pieces_.add(whole_number(event, "tx"), cell(event, "op"), cell(event, "ref"), is_of_scope);
  if (!is_of_scope) return false;
  note_transaction(event);
  count_event(event);
  list_event(event);
  return true;
}

/// Numbers that are left out and long times without an event are seen on all events, whatever the scope.
void Tally::note_time(json::object const& event) {
  std::uint64_t const tx = whole_number(event, "tx");
  std::string const at = cell(event, "at");
  auto const time = schema::parse_rfc3339(at);
  if (first_tx_ == 0) first_tx_ = tx;
  if (last_tx_ != 0 && tx > last_tx_ + 1) missing_ += tx - last_tx_ - 1;
  if (last_time_ && time && tx != last_tx_) {
    silences_.push_back({time->seconds - last_time_->seconds, last_at_, at});
    std::ranges::sort(silences_, std::greater{}, &Silence::seconds);
    if (silences_.size() > silences_max) silences_.pop_back();
  }
  last_tx_ = tx;
  last_time_ = time;
  last_at_ = at;
}

void Tally::note_transaction(json::object const& event) {
  std::uint64_t const tx = whole_number(event, "tx");
  if (tx != newest_) {
    ++transaction_count_;
    if (transactions_.size() < actors_asked_max) transactions_.push_back({.tx = tx, .ref = cell(event, "ref")});
  }
  newest_ = tx;
  if (transactions_.back().tx != tx) {
    ++events_beyond_;
    return;
  }
  auto& own = transactions_.back();
  ++own.events;
  // Its first event may be of a unit with thousands; that of what was rated or decided has one.
  std::string const ref = cell(event, "ref");
  std::string const type = type_in(ref);
  if (type == "FeedbackRecord" || type == "Decision" || type == "Response") own.ref = ref;
}

bool Tally::is_listed(std::uint64_t tx) const {
  return std::ranges::binary_search(transactions_, tx, {}, &Transaction::tx);
}

void Tally::count_event(json::object const& event) {
  std::string const op = cell(event, "op");
  ++events_;
  ++ops_[op];
  ++types_[type_in(cell(event, "ref"))][op];
  if (op == "status") ++statuses_[cell(event, "status")];
  if (json::object const* const record = schema::json::find_object(event, "record")) count_record(*record);
}

void Tally::count_record(json::object const& record) {
  for (auto const& flag : schema::json::list_at(record, "flags")) {
    if (flag.is_string()) ++flags_[std::string(flag.get_string())];
  }
  json::object const* const attributes = schema::json::find_object(record, "attributes");
  if (attributes != nullptr && attributes->contains("causes_left_out")) ++causes_left_out_;
}

void Tally::list_event(json::object const& event) {
  std::string const op = cell(event, "op");
  std::string const type = type_in(cell(event, "ref"));
  json::object entry;
  copy_texts(entry, event, {"tx", "at", "op", "ref"});
  if (op == "delete" || op == "expire") {
    copy_texts(entry, event, {"purged", "reason"});
    removals_.add(std::move(entry));
    return;
  }
  json::object const* const record = schema::json::find_object(event, "record");
  if (record == nullptr && (op == "put" || op == "version")) {
    if (type == "FeedbackRecord") ++ratings_gone_;
    if (type == "Decision") ++decisions_gone_;
  }
  if (record == nullptr || op == "status") return;
  entry["subject"] = subject_in(*record);
  if (type == "FeedbackRecord") {
    copy_texts(entry, *record, {"score", "user_id", "feedback_text"});
    json::value const* const score = record->if_contains("score");
    if (score != nullptr && score->is_number()) {
      auto const number = score->to_number<double>();
      ++scored_;
      score_sum_ += number;
      if (number < 0) ++rated_below_zero_;
    }
    ratings_.add(std::move(entry));
  } else if (type == "Decision") {
    copy_texts(entry, *record, {"verdict", "by", "reason", "timestamp"});
    ++verdicts_[cell(*record, "verdict")];
    decisions_.add(std::move(entry));
  }
}

CallResult<void> Tally::ask_writers(Caller& caller) {
  for (auto const& transaction : transactions_) {
    if (writings_.contains(transaction.tx)) continue;
    auto const answer =
        caller.call("history.get", json::object{{"ref", transaction.ref}, {"deleted", true}, {"limit", 1000}});
    if (!answer && answer.error().exit == ExitCode::not_found) continue;
    if (!answer) return answer.error();
    if (!answer->is_object()) continue;
    for (auto const& each : schema::json::list_at(answer->get_object(), "events")) {
      if (!each.is_object()) continue;
      json::object const& event = each.get_object();
      std::uint64_t const tx = whole_number(event, "tx");
      if (!is_listed(tx)) continue;
      writings_.try_emplace(tx, Writing{cell(event, "who"), cell(event, "actor"), cell(event, "reason")});
    }
  }
  return {};
}

json::array Tally::writers() const {
  std::map<std::tuple<std::string, std::string, bool>, std::pair<std::uint64_t, std::uint64_t>> counts;
  for (auto const& transaction : transactions_) {
    auto const found = writings_.find(transaction.tx);
    bool const is_known = found != writings_.end();
    Writing const writing = is_known ? found->second : Writing{};
    auto& [transactions, events] = counts[{writing.who, writing.actor, is_known}];
    ++transactions;
    events += transaction.events;
  }
  if (transaction_count_ > transactions_.size()) {
    auto& [transactions, events] = counts[{"", "", false}];
    transactions += transaction_count_ - transactions_.size();
    events += events_beyond_;
  }
  json::array list;
  for (auto const& [key, count] : counts) {
    auto const& [who, actor, is_known] = key;
    list.push_back(json::object{
        {"who", who}, {"actor", actor}, {"known", is_known}, {"transactions", count.first}, {"events", count.second}});
  }
  return list;
}

/// With who removed something, and why, as far as it is known.
json::object Tally::removals() const {
  json::object all = removals_.as_object();
  for (auto& each : all.at("list").as_array()) {
    auto& entry = each.as_object();
    auto const found = writings_.find(whole_number(entry, "tx"));
    if (found == writings_.end()) continue;
    auto const& writing = found->second;
    if (!writing.who.empty()) entry["who"] = writing.who;
    if (!writing.actor.empty()) entry["actor"] = writing.actor;
    if (!writing.reason.empty() && !entry.contains("reason")) entry["reason"] = writing.reason;
  }
  return all;
}

json::object Tally::report() const {
  json::object types;
  for (auto const& [type, ops] : types_) types[type] = counts_of(ops);
  json::array silences;
  for (auto const& each : silences_) {
    silences.push_back(json::object{{"from", each.from}, {"to", each.to}, {"seconds", each.seconds}});
  }
  json::object ratings = ratings_.as_object();
  ratings["gone"] = ratings_gone_;
  ratings["below_zero"] = rated_below_zero_;
  if (scored_ > 0) ratings["mean"] = score_sum_ / static_cast<double>(scored_);
  json::object decisions = decisions_.as_object();
  decisions["gone"] = decisions_gone_;
  decisions["verdicts"] = counts_of(verdicts_);
  return {
      {"first_tx", first_tx_},
      {"last_tx", last_tx_},
      {"transactions", transaction_count_},
      {"events", events_},
      {"ops", counts_of(ops_)},
      {"types", std::move(types)},
      {"statuses", counts_of(statuses_)},
      {"flags", counts_of(flags_)},
      {"writers", writers()},
      {"ratings", std::move(ratings)},
      {"decisions", std::move(decisions)},
      {"removals", removals()},
      {"gaps",
       {{"missing_transactions", missing_}, {"causes_left_out", causes_left_out_}, {"silences", std::move(silences)}}}};
}

}  // namespace whence::tools
