// A response is renewed: it is deleted and written again under its id. That is done where all that rests on it is of
// telemetry too and is written again with it, and for one response a bounded number of times.

#include "net/capture/derivation/renewals.hpp"

#include "graph/snapshot/records.hpp"
#include "net/capture/causes/call_causes.hpp"
#include "net/capture/known/known_records.hpp"
#include "net/capture/trace/refs.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/ref.hpp"

#include <string_view>
#include <utility>

namespace whence::net::capture {

using schema::EdgeType;
using schema::NodeRef;
using schema::RecordType;

namespace {

/// The log record that a feedback of telemetry was made from, by its id (`make_ratings`); empty: it is another's.
std::string_view rating_of(std::string_view feedback) {
  constexpr std::string_view prefix = "fb_";
  if (!feedback.starts_with(prefix)) return {};
  feedback.remove_prefix(prefix.size());
  return feedback.substr(0, feedback.find('_'));
}

}  // namespace

Result<bool> Renewals::renew(SpanName const& call, Causes& refs) {
  auto const ref = *record_ref(call, Kind::call);
  if (all_.renewed.contains(schema::format_ref(ref))) return true;
  auto const vertex = all_.snapshot.find(ref.type, ref.id);
  if (!vertex || all_.snapshot.find_all_ever(ref.type, ref.id).size() > renewals_max) return false;
  Users users;
  auto const are_calls = add_effects(*vertex, users);
  if (!are_calls) return are_calls.error();
  if (!*are_calls || !add_relations(*vertex, call, users)) return false;
  std::erase_if(refs, [&](auto const& each) { return all_.is_deleted(each.first); });
  all_.renew(ref);
  for (auto const& rating : users.ratings) all_.renew(rating);
  responses_.merge(users.responses);
  spans_.insert(spans_.end(), users.spans.begin(), users.spans.end());
  return true;
}

Result<bool> Renewals::add_effects(schema::VertexId response, Users& users) const {
  auto const effects = all_.snapshot.effects(response);
  if (effects.size() > users_max) return false;
  auto const own = schema::format_ref(RecordType::response, all_.snapshot.id(response));
  for (std::size_t i = 0; i < effects.size(); ++i) {
    std::string const id{all_.snapshot.id(effects.vertices[i])};
    auto const call = call_of_response(id);
    bool const is_prompt = schema::named_type(all_.snapshot.type(effects.edges[i])) == EdgeType::prompted;
    if (!call || !is_prompt || all_.snapshot.gone(effects.vertices[i])) return false;
    auto const user = read_response(all_, *record_ref(*call, Kind::call));
    if (!user) return user.error();
    if (!*user || !known_causes(**user).contains(own)) return false;
    users.responses.insert(id);
  }
  return true;
}

bool Renewals::add_relations(schema::VertexId response, SpanName const& call, Users& users) const {
  auto const& logs = all_.states.at(call.trace).logs;
  auto const relations = all_.snapshot.relations_to(response);
  for (std::size_t i = 0; i < relations.size(); ++i) {
    auto const other = relations.vertices[i];
    auto const type = all_.snapshot.type(other);
    std::string_view const id = all_.snapshot.id(other);
    if (type == RecordType::feedback_record && logs.contains(std::string(rating_of(id)))) {
      users.ratings.push_back({type, std::string(id)});
    } else if (type == RecordType::prov_activity && id == span_ref(call).id) {
      users.spans.push_back(other);
    } else {
      return false;
    }
  }
  return true;
}

Result<void> Renewals::write_users(std::set<std::string> const& made) {
  for (auto const& id : responses_) {
    if (made.contains(id) || all_.deleted.contains(schema::format_ref(RecordType::response, id))) continue;
    auto user = read_response(all_, {RecordType::response, id});
    if (!user) return user.error();
    if (*user) all_.write(std::move(**user));
  }
  auto const read =
      graph::read_those_there(all_.snapshot, all_.reader, spans_, [&](std::size_t, schema::Record&& span) {
        all_.write(std::move(span));
        return true;
      });
  return read ? Result<void>{} : Result<void>{read.error()};
}

}  // namespace whence::net::capture
