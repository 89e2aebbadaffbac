#pragma once
// What PROV documents of others said, gathered from the records that keep it, to be written back as it came. All of it
// is held at once: such documents were taken in as one batch each.

#include "schema/records/records.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whence::exports {

/// One entry of a section: what a name stands for.
struct ForeignEntry {
  std::string key;  ///< empty for a relation without a name
  /// PROV-JSON objects with their places in an array; one without a place is all there is.
  std::vector<std::pair<std::int64_t, std::string>> items = {};
  bool is_array = false;

  /// An object, or an array of objects.
  [[nodiscard]] std::string json() const;
};

/// A document's own statements, or those of one of its bundles.
struct ForeignPart {
  std::map<std::string, std::string> prefixes = {};
  std::map<std::string, std::vector<ForeignEntry>> sections = {};  ///< by name: "entity", "used", ...
};

class ForeignProv {
 public:
  /// A prefix of the document that means this; before the first record.
  void reserve_prefix(std::string const& prefix, std::string const& iri);
  /// `record` is one of the three kinds. A prefix that stands for something else already gets another name.
  void add(schema::Record const& record);

  [[nodiscard]] ForeignPart& document() noexcept { return document_; }
  [[nodiscard]] std::map<std::string, ForeignPart> const& bundles() const noexcept { return bundles_; }

 private:
  std::string add_prefix(ForeignPart& part, std::string const& prefix, std::string const& iri);

  ForeignPart document_ = {};
  std::map<std::string, ForeignPart> bundles_ = {};
};

}  // namespace whence::exports
