// Names to things.
#include "schema/prov/things.hpp"

#include "schema/records/prov/relations.hpp"

#include <utility>

namespace whence::schema::json {
namespace {

constexpr std::array<RecordType, 3> kinds = {RecordType::prov_entity, RecordType::prov_activity,
                                             RecordType::prov_agent};

std::size_t index_of(RecordType kind) {
  return static_cast<std::size_t>(kind) - static_cast<std::size_t>(RecordType::prov_entity);
}

std::string key_of(std::uint32_t scope, std::string const& iri) {
  return std::to_string(scope) + " " + iri;
}

}  // namespace

std::size_t& ProvThings::position(RecordType kind, std::uint32_t scope, std::string const& iri) {
  return places_.try_emplace(key_of(scope, iri), Kinds{none, none, none}).first->second[index_of(kind)];
}

ProvThings::Kinds const* ProvThings::find(std::uint32_t scope, std::string const& iri) const {
  auto const place = places_.find(key_of(scope, iri));
  return place == places_.end() ? nullptr : &place->second;
}

ProvThing& ProvThings::declare(RecordType kind, std::uint32_t scope, std::string iri, std::string_view qname) {
  auto& place = position(kind, scope, iri);
  if (place != none) {
    things_[place].is_array = true;
    return things_[place];
  }
  place = things_.size();
  return things_.emplace_back(ProvThing{.kind = kind, .scope = scope, .iri = std::move(iri), .qname = qname});
}

std::optional<std::size_t> ProvThings::find_declared(std::uint32_t scope, std::string const& iri,
                                                     RecordType preferred) const {
  auto const* const found = find(scope, iri);
  if (found == nullptr) return std::nullopt;
  auto const is_found = [&](RecordType kind) {
    auto const thing = (*found)[index_of(kind)];
    return thing != none && is_declared(thing);
  };
  if (is_found(preferred)) return (*found)[index_of(preferred)];
  for (RecordType const kind : kinds) {
    if (is_found(kind)) return (*found)[index_of(kind)];
  }
  return std::nullopt;
}

std::size_t ProvThings::mention(RecordType kind, std::uint32_t scope, std::string const& iri, std::string_view qname,
                                bool is_any) {
  if (auto const declared = find_declared(scope, iri, kind)) {
    things_[*declared].is_dormant = false;
    return *declared;
  }
  auto const* const found = find(scope, iri);
  if (is_any && found != nullptr) {
    for (std::size_t const thing : *found) {
      if (thing != none) return thing;
    }
  }
  auto& place = position(kind, scope, iri);
  if (place == none) {
    place = things_.size();
    things_.push_back({.kind = kind, .scope = scope, .iri = iri, .qname = qname});
  }
  return place;
}

std::vector<std::string> ProvThings::ids(std::deque<ProvScope> const& scopes) const {
  std::vector<std::string> result;
  result.reserve(things_.size());
  for (ProvThing const& thing : things_) {
    result.push_back(thing.is_dormant ? std::string{} : prov_id(thing.iri, scopes[thing.scope].bundle_iri));
  }
  return result;
}

Record prov_record(RecordType kind, ProvNode node) {
  if (kind == RecordType::prov_activity) return ProvActivity{std::move(node)};
  if (kind == RecordType::prov_agent) return ProvAgent{std::move(node)};
  return ProvEntity{std::move(node)};
}

}  // namespace whence::schema::json
