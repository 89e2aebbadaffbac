#pragma once
// Free data: JSON that a client keeps in a record and that no code here interprets.

#include <string>
#include <utility>
#include <vector>

namespace whence::schema {

/// Free data of a client in any record: a JSON object as compact UTF-8 text with sorted keys, so that equal
/// objects have equal text. At most `limits::attributes_bytes_max` bytes.
struct Attributes {
  std::string json = {};

  friend bool operator==(Attributes const&, Attributes const&) = default;
};

/// A JSON object kept as it came: compact UTF-8 text with its members in the order given. At most
/// `limits::questions_bytes_max` bytes. Equal are objects that differ in that order only.
struct QuestionSet {
  std::string json = {};
  std::string sorted = {};  ///< the same with sorted keys; empty where `json` is sorted already

  friend bool operator==(QuestionSet const& a, QuestionSet const& b) { return a.canonical() == b.canonical(); }

 private:
  [[nodiscard]] std::string const& canonical() const noexcept { return sorted.empty() ? json : sorted; }
};

/// Attributes in the form of PROV-JSON: an object, or an array of objects where an id mapped to one. Compact text with
/// sorted keys in which a double stays one (`1.0` is not `1`): PROV distinguishes them. At most
/// `limits::prov_attributes_bytes_max` bytes.
struct ProvAttributes {
  std::string json = {};

  friend bool operator==(ProvAttributes const&, ProvAttributes const&) = default;
};

/// The IRIs that the prefixes of qualified names abbreviate, sorted by prefix, each once; "default" is the namespace of
/// names without one. An object on the wire.
struct PrefixMap {
  std::vector<std::pair<std::string, std::string>> entries = {};  ///< prefix, IRI

  friend bool operator==(PrefixMap const&, PrefixMap const&) = default;
};

}  // namespace whence::schema
