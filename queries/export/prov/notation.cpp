// PROV-N (W3C recommendation), the notation for people. A missing argument is `-`.

#include "queries/export/format.hpp"
#include "queries/export/prov/grammar.hpp"
#include "queries/export/prov/prov.hpp"
#include "schema/json/json.hpp"
#include "schema/json/prov_values.hpp"
#include "schema/prov/names.hpp"
#include "schema/records/prov/relations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace whence::exports {
namespace {

void append_literal(std::string& out, std::string_view text) {
  out.push_back('"');
  for (char const c : text) {
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\f':
        out.append("\\f");
        break;
      default:
        out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_value(std::string& out, ProvValue const& value) {
  switch (value.type) {
    case ProvValue::Type::name:
      out.append("'").append(value.text).append("'");
      return;
    case ProvValue::Type::text:
      append_literal(out, value.text);
      return;
    case ProvValue::Type::integer:
      append_literal(out, value.text);
      out.append(" %% xsd:long");
      return;
    case ProvValue::Type::real:
      append_literal(out, value.text);
      out.append(" %% xsd:double");
      return;
    case ProvValue::Type::time:
      append_literal(out, value.text);
      out.append(" %% xsd:dateTime");
      return;
  }
}

constexpr std::size_t depth_max = 64;

/// The words of the grammar. A parser takes them before it looks for a colon.
constexpr auto keywords = std::to_array<std::string_view>(
    {"document",         "endDocument",       "bundle",          "endBundle",        "prefix",
     "entity",           "activity",          "agent",           "wasGeneratedBy",   "used",
     "wasInformedBy",    "wasStartedBy",      "wasEndedBy",      "wasInvalidatedBy", "wasDerivedFrom",
     "wasAttributedTo",  "wasAssociatedWith", "actedOnBehalfOf", "wasInfluencedBy",  "alternateOf",
     "specializationOf", "hadMember",         "mentionOf"});

/// Prefixes of our own namespaces. The names in these have `%XX` where others have characters that no name may have.
using OwnPrefixes = std::set<std::string, std::less<>>;

void note_prefix(OwnPrefixes& own, std::string const& prefix, std::string_view iri) {
  constexpr std::string_view ours = "urn:whence:";
  if (iri.starts_with(ours) && !iri.ends_with('#')) {
    own.insert(prefix);
  } else {
    own.erase(prefix);
  }
}

/// The formal arguments of a section, in order. Things have their name before them, relations perhaps theirs.
std::vector<std::string_view> arguments_of(std::string_view section) {
  struct Arguments {
    std::string_view section;
    std::vector<std::string_view> more;  ///< after subject and object
  };
  static std::vector<Arguments> const rows = {
      {"wasGeneratedBy", {"prov:time"}},
      {"used", {"prov:time"}},
      {"wasStartedBy", {"prov:starter", "prov:time"}},
      {"wasEndedBy", {"prov:ender", "prov:time"}},
      {"wasInvalidatedBy", {"prov:time"}},
      {"wasDerivedFrom", {"prov:activity", "prov:generation", "prov:usage"}},
      {"wasAssociatedWith", {"prov:plan"}},
      {"actedOnBehalfOf", {"prov:activity"}},
      {"mentionOf", {"prov:bundle"}},
  };
  if (section == "activity") return {"prov:startTime", "prov:endTime"};
  auto const* const relation = schema::find_prov_relation(section);
  if (relation == nullptr) return {};
  std::vector<std::string_view> arguments = {relation->subject, relation->object};
  auto const more = std::ranges::find(rows, section, &Arguments::section);
  if (more != rows.end()) arguments.insert(arguments.end(), more->more.begin(), more->more.end());
  return arguments;
}

/// The datatype of a value that says none: of a whole number the one that holds it.
std::string_view plain_type(boost::json::value const& value) {
  if (value.is_bool()) return "xsd:boolean";
  if (value.is_double()) return "xsd:double";
  if (value.is_uint64()) return "xsd:unsignedLong";
  bool const is_int = value.is_int64() && std::in_range<std::int32_t>(value.get_int64());
  return is_int ? "xsd:int" : "xsd:long";
}

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What the statements of others lose in this syntax.
struct Losses {
  std::uint64_t arguments = 0;   ///< left out
  std::uint64_t attributes = 0;  ///< left out: they have no name
  std::uint64_t languages = 0;   ///< written in another form, or left out
  std::uint64_t types = 0;       ///< left out beside a language
  std::uint64_t names = 0;       ///< written with other characters
  std::uint64_t iris = 0;        ///< of prefixes, written with other characters
};

void report(Losses const& losses, Part& part) {
  part.lose("argument_left_out", losses.arguments);
  part.lose("attribute_left_out", losses.attributes);
  part.lose("language_changed", losses.languages);
  part.lose("language_type_left_out", losses.types);
  part.lose("name_percent_encoded", losses.names);
  part.lose("iri_percent_encoded", losses.iris);
}

void append_prefix(std::string& out, std::string const& prefix, std::string const& iri, Losses& losses) {
  bool const is_iri = is_prov_n_iri(iri);
  losses.iris += is_iri ? 0 : 1;
  out.append(prefix == "default" ? "  default" : "  prefix " + prefix);
  out.append(" <" + (is_iri ? iri : prov_n_iri_of(iri)) + ">\n");
}

/// How names are written.
struct NameWriting {
  OwnPrefixes const& own;
  Losses& losses;
};

/// A qualified name of PROV-JSON.
std::string name_text(std::string_view name, NameWriting const& writing) {
  auto const colon = name.find(':');
  bool const has_prefix = colon != std::string_view::npos && colon > 0;
  std::string text(has_prefix ? name.substr(0, colon + 1) : std::string_view{});
  bool const is_own = has_prefix && writing.own.contains(name.substr(0, colon));
  auto const codes = is_own ? PercentCodes::keep : PercentCodes::escape;
  if (append_prov_n_local(text, has_prefix ? name.substr(colon + 1) : name, codes)) ++writing.losses.names;
  return text;
}

/// A language tag as the grammar has it: letters, then parts of letters and digits, with hyphens between. Empty where
/// it cannot be one.
std::string language_tag(std::string_view language, Losses& losses) {
  std::string tag(language);
  std::ranges::replace(tag, '_', '-');
  auto const is_part = [](std::string_view part, bool is_first) {
    return !part.empty() &&
           std::ranges::all_of(part, [&](char c) { return is_letter(c) || (!is_first && is_digit(c)); });
  };
  bool is_tag = true;
  for (std::size_t begin = 0; is_tag && begin <= tag.size();) {
    auto const end = std::min(tag.find('-', begin), tag.size());
    is_tag = is_part(std::string_view(tag).substr(begin, end - begin), begin == 0);
    begin = end + 1;
  }
  if (!is_tag) tag.clear();
  if (tag != language) ++losses.languages;
  return tag;
}

/// A value of PROV-JSON in this notation: a text has a language or a type, never both.
void append_foreign_value(std::string& out, boost::json::value const& value, NameWriting const& writing) {
  auto& losses = writing.losses;
  if (auto const* const text = value.if_string()) return append_literal(out, *text);
  if (auto const* const literal = value.if_object()) {
    auto const text_of = [&](std::string_view name) -> std::string {
      auto const* const member = literal->if_contains(name);
      if (member == nullptr) return {};
      return member->is_string() ? std::string(member->get_string()) : schema::json::to_text(*member);
    };
    auto const type = text_of("type");
    auto const text = text_of("$");
    if (schema::json::is_qname_type(type) && !text.empty()) {
      out.append("'" + name_text(text, writing) + "'");
      return;
    }
    append_literal(out, text);
    auto const lang = text_of("lang");
    auto const tag = lang.empty() ? std::string{} : language_tag(lang, losses);
    bool const is_implied = type.empty() || type == "prov:InternationalizedString";
    if (!tag.empty()) {
      out.append("@" + tag);
      losses.types += is_implied ? 0 : 1;
    } else if (!type.empty() && !(is_implied && !lang.empty())) {
      out.append(" %% " + name_text(type, writing));
    }
    return;
  }
  append_literal(out, schema::json::to_text(value));
  out.append(" %% ").append(plain_type(value));
}

/// An argument as it is written: a name or a time, as a text, as a literal, or alone in a list. Nothing else can be.
std::optional<std::string_view> argument_text(boost::json::value const& value) {
  if (auto const* const list = value.if_array()) {
    return list->size() == 1 ? argument_text(list->front()) : std::nullopt;
  }
  auto const* const literal = value.if_object();
  auto const* const said = literal == nullptr ? &value : literal->if_contains("$");
  auto const* const text = said == nullptr ? nullptr : said->if_string();
  if (text == nullptr) return std::nullopt;
  return std::string_view(*text);
}

/// The members of a collection that come as a list, which this syntax has no form for.
boost::json::array const* members_in_list(std::string_view section, boost::json::object const& members) {
  if (section != "hadMember") return nullptr;
  auto const* const value = members.if_contains("prov:entity");
  return value == nullptr ? nullptr : value->if_array();
}

/// Writes statements of one section; counts the arguments that the syntax cannot hold.
class ForeignStatements {
 public:
  ForeignStatements(std::string_view section, std::string_view key, OwnPrefixes const& own, std::string& out)
      : section_(section), key_(key), arguments_(arguments_of(section)), own_(own), out_(out) {}

  /// One statement, or one for each member of a collection.
  void write(boost::json::object const& members) {
    auto const* const list = members_in_list(section_, members);
    if (list == nullptr || list->empty()) return write_one(members, nullptr);
    for (auto const& each : *list) write_one(members, &each);
  }

  [[nodiscard]] Losses const& losses() const noexcept { return losses_; }

 private:
  [[nodiscard]] NameWriting writing() { return {own_, losses_}; }

  [[nodiscard]] bool is_thing() const { return section_ == "entity" || section_ == "activity" || section_ == "agent"; }

  void separate() {
    if (!is_first_) out_.append(", ");
    is_first_ = false;
  }

  /// `entity`, unless it is null, is written in place of the list.
  void write_one(boost::json::object const& members, boost::json::value const* entity) {
    out_.append("  ").append(section_).push_back('(');
    out_.append(name_text(key_, writing())).append(key_.empty() || is_thing() ? "" : "; ");
    is_first_ = !is_thing();
    for (auto const argument : arguments_) {
      separate();
      bool const is_of_list = entity != nullptr && argument == "prov:entity";
      write_argument(argument, is_of_list ? entity : members.if_contains(argument));
    }
    write_attributes(members);
    out_.append(")\n");
  }

  /// Nothing but a name or a time of the grammar is written: other texts could be read as further statements.
  void write_argument(std::string_view argument, boost::json::value const* value) {
    auto const text = value == nullptr ? std::nullopt : argument_text(*value);
    bool const is_name = schema::json::is_prov_argument(argument);
    bool const is_writable = text && (is_name ? !text->empty() : is_prov_n_time(*text));
    if (value != nullptr && !is_writable) ++losses_.arguments;
    if (!is_writable) {
      out_.push_back('-');
    } else {
      out_.append(is_name ? name_text(*text, writing()) : std::string(*text));
    }
  }

  void write_attributes(boost::json::object const& members) {
    std::string attributes;
    for (auto const& member : members) {
      if (std::ranges::find(arguments_, std::string_view(member.key())) != arguments_.end()) continue;
      if (member.key().empty()) {
        ++losses_.attributes;
        continue;
      }
      auto const append = [&](boost::json::value const& value) {
        attributes.append(attributes.empty() ? "" : ", ").append(name_text(member.key(), writing())).push_back('=');
        append_foreign_value(attributes, value, writing());
      };
      if (auto const* const list = member.value().if_array()) {
        for (auto const& each : *list) append(each);
      } else {
        append(member.value());
      }
    }
    if (attributes.empty()) return;
    separate();
    out_.append("[" + attributes + "]");
  }

  std::string_view section_;
  std::string_view key_;
  std::vector<std::string_view> arguments_;
  OwnPrefixes const& own_;
  std::string& out_;
  bool is_first_ = true;
  Losses losses_;
};

class ProvNWriter final : public ProvWriter {
 public:
  ProvNWriter() : ProvWriter(keywords) {}

  void end_pass(std::size_t pass, Part& part) override {
    ProvWriter::end_pass(pass, part);
    report(std::exchange(lost_, {}), part);
  }

 private:
  [[nodiscard]] std::string document_begin(std::span<ProvPrefix const> prefixes) override {
    std::string text = "document\n";
    for (auto const& prefix : prefixes) {
      append_prefix(text, prefix.name, prefix.iri, lost_);
      note_prefix(own_, prefix.name, prefix.iri);
    }
    return text;
  }

  void write(ProvStatement const& statement, std::string& out) const override {
    out.append("  ").append(statement.section).push_back('(');
    bool is_first = true;
    auto const separate = [&] {
      if (!is_first) out.append(", ");
      is_first = false;
    };
    if (!statement.id.empty()) {
      separate();
      out.append(statement.id);
    }
    for (auto const& argument : statement.arguments) {
      separate();
      out.append(argument.value.empty() ? "-" : argument.value);
    }
    if (!statement.attributes.empty()) {
      separate();
      append_attributes(statement.attributes, out);
    }
    out.append(")\n");
  }

  void write_foreign(std::string_view section, ForeignEntry const& entry, ProvPlace, std::uint64_t,
                     Part& part) override {
    write_entry(section, entry, own_, part);
  }

  void write_bundles(std::map<std::string, ForeignPart> const& bundles, ProvPlace, Part& part) override {
    for (auto const& [name, bundle] : bundles) {
      Losses losses;
      part.text.append("  bundle " + name_text(name, {own_, losses}) + "\n");
      auto own = own_;
      for (auto const& [prefix, iri] : bundle.prefixes) {
        append_prefix(part.text, prefix, iri, losses);
        note_prefix(own, prefix, iri);
      }
      report(losses, part);
      for (auto const& [section, entries] : bundle.sections) {
        for (auto const& entry : entries) write_entry(section, entry, own, part);
      }
      part.text.append("  endBundle\n");
    }
  }

  static void write_entry(std::string_view section, ForeignEntry const& entry, OwnPrefixes const& own, Part& part) {
    for (auto const& item : entry.items) write_item(section, entry.key, item.second, own, part);
  }

  /// One statement, or several where a name has several.
  static void write_item(std::string_view section, std::string_view key, std::string_view json, OwnPrefixes const& own,
                         Part& part) {
    auto const document = schema::json::parse(json, depth_max);
    if (!document) return;  // what was stored did parse
    ForeignStatements statements(section, key, own, part.text);
    auto const& value = document->value;
    if (auto const* const members = value.if_object()) statements.write(*members);
    if (auto const* const list = value.if_array()) {
      for (auto const& each : *list) {
        if (auto const* const members = each.if_object()) statements.write(*members);
      }
    }
    report(statements.losses(), part);
  }

  static void append_attributes(auto const& attributes, std::string& out) {
    out.push_back('[');
    bool is_first = true;
    for (auto const& attribute : attributes) {
      if (!is_first) out.append(", ");
      is_first = false;
      append_value(out.append(attribute.name).append("="), attribute.value);
    }
    out.push_back(']');
  }

  [[nodiscard]] std::string document_end(bool) const override { return "endDocument\n"; }

  OwnPrefixes own_ = {};  ///< of the document
  Losses lost_ = {};      ///< by its first lines, not reported yet
};

}  // namespace

std::unique_ptr<GraphWriter> make_prov_n(FormatOptions const&) {
  return std::make_unique<ProvNWriter>();
}

}  // namespace whence::exports
