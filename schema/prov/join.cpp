// Sets of values and of relations. Values that PROV takes for one have one key, however they are spelled; of several
// spellings, times and relations, which one stays does not depend on the order of the documents.
#include "schema/prov/join.hpp"

#include "schema/base/time.hpp"
#include "schema/encoding/ascii.hpp"
#include "schema/json/json.hpp"
#include "schema/json/members.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/json/writer.hpp"
#include "schema/prov/names.hpp"
#include "schema/prov/renaming.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view whole_type = "xsd:int";
constexpr auto whole_types = std::to_array<std::string_view>(
    {"xsd:int", "xsd:integer", "xsd:long", "xsd:short", "xsd:byte", "xsd:unsignedLong", "xsd:unsignedInt",
     "xsd:unsignedShort", "xsd:unsignedByte", "xsd:nonNegativeInteger", "xsd:positiveInteger", "xsd:nonPositiveInteger",
     "xsd:negativeInteger"});
/// What an activity has once (PROV-DM 5.1.2).
constexpr auto times = std::to_array<std::string_view>({"prov:startTime", "prov:endTime"});

bool is_time(std::string_view attribute) {
  return attribute == "prov:time" || std::ranges::find(times, attribute) != times.end();
}

// --- values that are one ---

std::string typed(std::string_view type, std::string_view text) {
  return std::string{type}.append(" ").append(text);
}

std::string double_key(double value) {
  std::string text;
  append_number(text, value);
  return typed("xsd:double", text);
}

std::string literal_key(bj::object const& literal) {
  auto const* const held = literal.if_contains("$");
  auto const text = held == nullptr     ? std::string{}
                    : held->is_string() ? std::string{held->get_string()}
                                        : to_sorted_text(*held);
  if (auto const language = schema::json::text_at(literal, "lang"); !language.empty()) {
    return typed(typed("@", in_lower(language)), text);  // tags are of either case (RFC 5646, 2.1.1)
  }
  auto const type = schema::json::text_at(literal, "type");
  if (type.empty() || type == "xsd:string") return typed("xsd:string", text);
  if (is_qname_type(type)) return typed("name", text);
  if (type == "xsd:double") {
    double number = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) return double_key(number);
  }
  return typed(type, text);
}

/// Equal for values that PROV takes for one.
std::string key_of(bj::value const& value) {
  if (auto const* const literal = value.if_object()) return literal_key(*literal);
  if (auto const* const text = value.if_string()) return typed("xsd:string", *text);
  if (value.is_bool()) return typed("xsd:boolean", value.get_bool() ? "true" : "false");
  if (value.is_double()) return double_key(value.get_double());
  return typed(whole_type, to_text(value));
}

/// The same of the value of `attribute`: a name or a time may be given as text or as a literal.
std::string key_of(std::string_view attribute, bj::value const& value) {
  auto const* const literal = value.if_object();
  auto const text = literal != nullptr  ? schema::json::text_at(*literal, "$")
                    : value.is_string() ? std::string_view{value.get_string()}
                                        : std::string_view{};
  if (text.empty()) return key_of(value);
  if (is_prov_argument(attribute)) return typed("name", text);
  if (!is_time(attribute)) return key_of(value);
  auto const time = parse_rfc3339(text);
  return typed("time", time ? format_rfc3339(*time) : std::string{text});
}

/// The values of an attribute by their keys.
using Values = std::map<std::string, bj::value>;

void add(Values& values, std::string_view attribute, bj::value const& value) {
  if (auto const* const list = value.if_array()) {
    for (bj::value const& each : *list) add(values, attribute, each);
    return;
  }
  auto const [known, is_new] = values.try_emplace(key_of(attribute, value), value);
  // Of two spellings one, whichever comes first.
  if (!is_new && to_sorted_text(value) < to_sorted_text(known->second)) known->second = value;
}

/// A number without a type is the typed one beside it.
void drop_untyped(Values& values) {
  std::vector<std::string> dropped;
  for (auto const& [key, value] : values) {
    if (!value.is_int64() && !value.is_uint64()) continue;
    auto const digits = to_text(value);
    bool const is_typed = std::ranges::any_of(
        whole_types, [&](std::string_view type) { return type != whole_type && values.contains(typed(type, digits)); });
    if (is_typed) dropped.push_back(key);
  }
  for (auto const& key : dropped) values.erase(key);
}

bj::value value_of(Values& values) {
  drop_untyped(values);
  if (values.size() == 1) return values.begin()->second;
  bj::array list;
  for (auto const& [key, value] : values) list.push_back(value);
  return list;
}

// --- attributes ---

/// The times that one document gives an activity, each by its attribute.
using Times = std::map<std::string, std::pair<std::string, bj::value>>;

bool says_less(Times const& one, Times const& other) {
  return std::ranges::all_of(one, [&](auto const& each) {
    auto const found = other.find(each.first);
    return found != other.end() && found->second.first == each.second.first;
  });
}

class Description {
 public:
  void add_all(bj::value const& attributes) {
    if (auto const* const list = attributes.if_array()) {
      for (bj::value const& each : *list) add_one(each.get_object());
    } else {
      add_one(attributes.get_object());
    }
  }

  /// The attributes that differ; empty where all said agrees.
  [[nodiscard]] std::vector<std::string> contradictions() const {
    std::map<std::string, std::set<std::string>> keys;
    for (Item const& said : items_) {
      for (auto const& [attribute, value] : said.times) keys[attribute].insert(value.first);
    }
    std::vector<std::string> differing;
    for (auto const& [attribute, all] : keys) {
      if (all.size() > 1) differing.push_back(attribute);
    }
    return differing;
  }

  [[nodiscard]] std::string text() {
    spell_alike();
    if (contradictions().empty()) {
      Item all;
      for (Item const& said : items_) take_in(said, all);
      return to_sorted_text(bj::value(object_of(all)));
    }
    bj::array list;
    for (Item& each : whole_items()) list.push_back(object_of(each));
    return to_sorted_text(bj::value(std::move(list)));
  }

 private:
  /// What was said together.
  struct Item {
    Times times = {};
    std::map<std::string, Values> others = {};
  };

  static bj::object object_of(Item& item) {
    bj::object object;
    for (auto& [attribute, values] : item.others) object[attribute] = value_of(values);
    for (auto const& [attribute, value] : item.times) object[attribute] = value.second;
    return object;
  }

  static void take_in(Item const& said, Item& whole) {
    for (auto const& [attribute, value] : said.times) whole.times.insert_or_assign(attribute, value);
    for (auto const& [attribute, values] : said.others) {
      for (auto const& [key, value] : values) add(whole.others[attribute], attribute, value);
    }
  }

  /// Of the spellings of one time one, whichever comes first.
  void spell_alike() {
    std::map<std::pair<std::string, std::string>, bj::value> spellings;
    for (Item const& said : items_) {
      for (auto const& [attribute, value] : said.times) {
        auto const [known, is_new] = spellings.try_emplace({attribute, value.first}, value.second);
        if (!is_new && to_sorted_text(value.second) < to_sorted_text(known->second)) known->second = value.second;
      }
    }
    for (Item& said : items_) {
      for (auto& [attribute, value] : said.times) value.second = spellings.at({attribute, value.first});
    }
  }

  void add_one(bj::object const& attributes) {
    Item said;
    for (auto const& member : attributes) {
      std::string const name{member.key()};
      auto const* const list = member.value().if_array();
      if (std::ranges::find(times, std::string_view{name}) == times.end()) {
        Values values;
        add(values, name, member.value());
        if (!values.empty()) said.others.emplace(name, std::move(values));
      } else if (list == nullptr || list->size() == 1) {
        auto const& time = list == nullptr ? member.value() : list->front();
        said.times[name] = {key_of(name, time), time};
      } else {
        for (bj::value const& each : *list) items_.push_back({.times = {{name, {key_of(name, each), each}}}});
      }
    }
    if (!said.times.empty() || !said.others.empty()) items_.push_back(std::move(said));
  }

  /// What says no less of times than all others, in an order that does not depend on theirs. Each has the other
  /// attributes of what was said with its times, or with fewer of them; the first also those of what gives no time.
  [[nodiscard]] std::vector<Item> whole_items() const {
    std::vector<Times> whole;
    for (Item const& each : items_) {
      bool const is_repeated =
          std::ranges::any_of(whole, [&](Times const& known) { return says_less(each.times, known); });
      if (is_repeated) continue;
      std::erase_if(whole, [&](Times const& known) { return says_less(known, each.times); });
      whole.push_back(each.times);
    }
    auto const key = [](Times const& said) {
      std::string text;
      for (auto const& [attribute, value] : said) text.append(attribute).append(value.first).append("\n");
      return text;
    };
    std::ranges::sort(whole, {}, key);
    std::vector<Item> items;
    items.reserve(whole.size());
    for (Times& each : whole) items.push_back({.times = std::move(each)});
    for (Item const& said : items_) {
      auto const of = std::ranges::find_if(items, [&](Item const& each) { return says_less(said.times, each.times); });
      if (of != items.end()) take_in(said, *of);
    }
    return items;
  }

  std::vector<Item> items_;
};

std::optional<bj::value> parsed(std::string const& json) {
  auto document = parse(json);
  if (!document || (!document->value.is_object() && !document->value.is_array())) return std::nullopt;
  return std::move(document->value);
}

void join_attributes(ProvAttributes const& given, ProvAttributes& known, std::vector<std::string>& contradictions) {
  if (given == known) return;
  auto const more = parsed(given.json);
  auto const before = parsed(known.json);
  if (!more || !before) return;
  Description all;
  all.add_all(*before);
  all.add_all(*more);
  auto text = all.text();
  if (text != known.json) {
    for (auto const& each : all.contradictions()) contradictions.push_back("/attributes/" + each);
  }
  known.json = std::move(text);
}

// --- relations ---

/// What a relation says, for comparing.
struct Meaning {
  std::string name;       ///< of the relation, with its own
  std::string refs = {};  ///< of its objects
  std::string arguments;  ///< name and formal arguments
  std::string whole;      ///< name and everything
  std::map<std::string, std::string> formal = {};
};

bool has_name(ProvRelation const& relation) {
  return relation.id && !relation.id->starts_with("_:");
}

Meaning meaning_of(ProvRelation const& relation) {
  Meaning meaning;
  meaning.name = relation.relation + "\n" + (has_name(relation) ? *relation.id : std::string{});
  // A program may have left out the arguments that say what the refs do.
  meaning.refs = relation.other.value_or(std::string{});
  for (std::string const& each : relation.others.value_or(std::vector<std::string>{}))
    meaning.refs.append("\x1f").append(each);
  meaning.arguments = meaning.name + "\n" + meaning.refs;
  meaning.whole = meaning.arguments;
  auto const attributes = parsed(relation.attributes.json);
  auto const* const members = attributes ? attributes->if_object() : nullptr;
  std::map<std::string, std::string> all;
  if (members != nullptr) {
    for (auto const& member : *members) {
      std::string const name{member.key()};
      Values values;
      add(values, name, member.value());
      std::string key;
      for (auto const& [each, value] : values) key.append(each).append("\x1f");
      if (is_time(name) || is_prov_argument(name)) meaning.formal.emplace(name, key);
      all.emplace(name, std::move(key));
    }
  }
  for (auto const& [name, key] : all) meaning.whole.append("\n").append(name).append("\n").append(key);
  for (auto const& [name, key] : meaning.formal) meaning.arguments.append("\n").append(name).append("\n").append(key);
  return meaning;
}

bool contradict(Meaning const& one, Meaning const& other) {
  return std::ranges::any_of(one.formal, [&](auto const& each) {
    auto const found = other.formal.find(each.first);
    return found != other.formal.end() && found->second != each.second;
  });
}

/// Relations of one name that a further one is compared with. More have it only where many documents contradict each
/// other about one relation.
constexpr std::size_t names_compared_max = 100;

/// Relations by what they say.
class Relations {
 public:
  explicit Relations(std::vector<ProvRelation> known) {
    for (auto& each : known) put(std::move(each));
  }

  void join(ProvRelation given, std::vector<std::string>& contradictions) {
    auto const meaning = meaning_of(given);
    if (auto const same = by_whole_.find(meaning.whole); same != by_whole_.end()) {
      auto& known = all_[same->second];
      known.attributes.json = std::min(known.attributes.json, given.attributes.json);
      if (given.id) known.id = known.id ? std::min(*known.id, *given.id) : *given.id;
      return add_further(same->second, given);
    }
    if (has_name(given)) {
      if (auto const place = find_joinable(meaning)) return add_to(*place, given);
      auto const [begin, end] = by_name_.equal_range(meaning.name);
      bool const differs =
          std::any_of(begin, end, [&](auto const& each) { return contradict(meanings_.at(each.second), meaning); });
      if (differs) contradictions.push_back("/relations/" + std::to_string(all_.size()));
    }
    put(std::move(given));
  }

  /// A derivation that names its activity by its generation alone has the activity of that.
  void join_generations() {
    std::unordered_map<std::string_view, std::string_view> activities;
    for (ProvRelation const& each : all_) {
      if (each.relation == "wasGeneratedBy" && has_name(each) && each.other) activities.emplace(*each.id, *each.other);
    }
    if (activities.empty()) return;
    for (std::size_t place = 0; place < all_.size(); ++place) {
      auto const& json = all_[place].attributes.json;
      bool const is_asked = all_[place].relation == "wasDerivedFrom" &&
                            json.find("\"prov:generation\":") != std::string::npos &&
                            json.find("\"prov:activity\":") == std::string::npos;
      auto const attributes = is_asked ? parsed(json) : std::nullopt;
      auto const* const members = attributes ? attributes->if_object() : nullptr;
      auto const* const value = members == nullptr ? nullptr : members->if_contains("prov:generation");
      auto const name = value == nullptr ? std::nullopt : name_in(*value);
      auto const found = name ? activities.find(*name) : activities.end();
      if (found == activities.end()) continue;
      ProvRelation more;
      more.further.emplace().emplace_back(found->second);
      add_further(place, more);
    }
  }

  [[nodiscard]] std::vector<ProvRelation> take() { return std::move(all_); }

 private:
  /// A relation of the same name and objects that says nothing else of what both say: the one with the same arguments,
  /// else one that does not depend on the order of the relations.
  [[nodiscard]] std::optional<std::size_t> find_joinable(Meaning const& meaning) const {
    auto const [begin, end] = by_name_.equal_range(meaning.name);
    std::optional<std::size_t> best;
    std::size_t compared = 0;
    for (auto each = begin; each != end && compared < names_compared_max; ++each, ++compared) {
      auto const& known = meanings_.at(each->second);
      if (known.arguments == meaning.arguments) return each->second;
      if (known.refs != meaning.refs || contradict(known, meaning)) continue;
      if (!best || known.arguments < meanings_.at(*best).arguments) best = each->second;
    }
    return best;
  }

  void add_to(std::size_t place, ProvRelation const& given) {
    auto& known = all_[place];
    std::vector<std::string> none;  // they contradict each other in nothing
    join_attributes(given.attributes, known.attributes, none);
    add_further(place, given);
    auto& meaning = meanings_.at(place);
    if (auto const old = by_whole_.find(meaning.whole); old != by_whole_.end() && old->second == place)
      by_whole_.erase(old);
    meaning = meaning_of(known);
    by_whole_.emplace(meaning.whole, place);
  }

  /// Adds what else influenced the subject. A stored edge is the first, second, ... of its type to its end: one that a
  /// later relation has already gets no other before it.
  void add_further(std::size_t place, ProvRelation const& given) {
    if (!given.further) return;
    auto& known = all_[place];
    for (std::string const& ref : *given.further) {
      bool const is_known =
          known.other == ref || (known.further && std::ranges::find(*known.further, ref) != known.further->end());
      auto& last = last_with_.try_emplace(known.relation + "\n" + ref, place).first->second;
      if (is_known || last > place) continue;
      last = place;
      if (!known.further) known.further.emplace();
      known.further->push_back(ref);
    }
  }

  void put(ProvRelation relation) {
    auto meaning = meaning_of(relation);
    auto const place = all_.size();
    by_whole_.emplace(meaning.whole, place);
    if (has_name(relation)) {
      by_name_.emplace(meaning.name, place);
      meanings_.emplace(place, std::move(meaning));
    }
    auto const note = [&](std::string const& ref) { last_with_[relation.relation + "\n" + ref] = place; };
    if (relation.other) note(*relation.other);
    for (auto const* const list : {&relation.others, &relation.further}) {
      if (*list) std::ranges::for_each(**list, note);
    }
    all_.push_back(std::move(relation));
  }

  std::vector<ProvRelation> all_;
  std::unordered_map<std::string, std::size_t> by_whole_;
  std::unordered_multimap<std::string, std::size_t> by_name_;
  std::unordered_map<std::size_t, Meaning> meanings_;            ///< of those with a name
  std::unordered_map<std::string, std::size_t> last_with_ = {};  ///< relation and ref: the last that leads there
};

// --- prefixes ---

/// The prefixes of two nodes together, and what they are named in each.
struct JoinedPrefixes {
  PrefixMap all = {};
  RenamedPrefixes known = {};
  RenamedPrefixes given = {};
};

bool is_vocabulary(std::string_view prefix) {
  return prefix == "prov" || prefix == "xsd";
}

/// The better name of an IRI: a prefix before none, since a local part may hold a colon.
bool is_better(std::string const& one, std::string const& other) {
  return std::pair{one == "default", one} < std::pair{other == "default", other};
}

JoinedPrefixes join_prefixes(PrefixMap const& known, PrefixMap const& given) {
  JoinedPrefixes joined;
  std::map<std::string, std::string> names;  // by IRI
  std::map<std::string, std::string> iris;   // by prefix
  for (auto const* const map : {&known, &given}) {
    for (auto const& [prefix, iri] : map->entries) {
      if (is_vocabulary(prefix)) {
        auto const [at, is_new] = iris.try_emplace(prefix, iri);
        if (!is_new) at->second = std::min(at->second, iri);
        continue;
      }
      auto const [at, is_new] = names.try_emplace(iri, prefix);
      if (!is_new && is_better(prefix, at->second)) at->second = prefix;
    }
  }
  for (auto const& [iri, wanted] : names) {
    auto name = wanted;
    for (int number = 2; iris.contains(name); ++number) {
      name = (wanted == "default" ? std::string("ns") : wanted) + "_" + std::to_string(number);
    }
    iris.emplace(name, iri);
    for (auto const& [prefix, meaning] : known.entries) {
      if (meaning == iri && prefix != name && !is_vocabulary(prefix)) joined.known.emplace(prefix, name);
    }
    for (auto const& [prefix, meaning] : given.entries) {
      if (meaning == iri && prefix != name && !is_vocabulary(prefix)) joined.given.emplace(prefix, name);
    }
  }
  joined.all.entries.assign(iris.begin(), iris.end());
  return joined;
}

void rename(ProvNode& node, RenamedPrefixes const& prefixes) {
  if (prefixes.empty()) return;
  node.qname = renamed_name(node.qname, prefixes);
  if (node.attributes) node.attributes->json = renamed_attributes(node.attributes->json, prefixes);
  if (!node.relations) return;
  for (ProvRelation& each : *node.relations) {
    if (has_name(each)) each.id = renamed_name(*each.id, prefixes);
    each.attributes.json = renamed_attributes(each.attributes.json, prefixes);
  }
}

bool is_mention(ProvNode const& node) {
  return !node.attributes && !node.relations;
}

}  // namespace

ProvJoined join_prov(ProvNode known, ProvNode given) {
  if (given == known) return {std::move(known)};
  if (is_mention(known) != is_mention(given)) return {is_mention(given) ? std::move(known) : std::move(given)};
  auto const prefixes = join_prefixes(known.prefixes.value_or(PrefixMap{}), given.prefixes.value_or(PrefixMap{}));
  rename(known, prefixes.known);
  rename(given, prefixes.given);
  ProvJoined joined{std::move(known)};
  auto& node = joined.node;
  if (!prefixes.all.entries.empty()) node.prefixes = prefixes.all;
  if (given.attributes && node.attributes) {
    node.qname = std::min(node.qname, given.qname);
    join_attributes(*given.attributes, *node.attributes, joined.contradictions);
  } else if (given.attributes) {
    node.qname = given.qname;
    node.attributes = std::move(given.attributes);
    node.is_declared.reset();
  } else if (!node.attributes) {
    node.qname = std::min(node.qname, given.qname);
  }
  if (!given.relations) return joined;
  if (!node.relations) node.relations.emplace();
  Relations relations{std::move(*node.relations)};
  for (ProvRelation& each : *given.relations) relations.join(std::move(each), joined.contradictions);
  relations.join_generations();
  node.relations = relations.take();
  return joined;
}

std::vector<std::uint32_t> drop_repeated(std::vector<ProvRelation>& relations) {
  if (relations.size() < 2) return {};
  std::vector<std::uint32_t> places;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < relations.size(); ++i) {
    if (!has_name(relations[i]) && !seen.insert(meaning_of(relations[i]).whole).second) continue;
    if (places.size() < i) relations[places.size()] = std::move(relations[i]);
    places.push_back(static_cast<std::uint32_t>(i));
  }
  if (places.size() == relations.size()) return {};
  relations.resize(places.size());
  return places;
}

}  // namespace whence::schema::json
