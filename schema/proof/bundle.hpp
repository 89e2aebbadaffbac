#pragma once
// Bundles: the events of a log about one record, or about an answer and all it rests on, with what a stranger needs to
// check them. The format is in tools/verify/README.md.

#include "schema/base/error.hpp"
#include "schema/proof/checkpoint.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::schema::proof {

inline constexpr std::string_view bundle_format = "whence-proof-1";
inline constexpr std::string_view certificate_format = "whence-erasure-1";
inline constexpr std::size_t bundle_bytes_max = std::size_t{64} << 20;
inline constexpr std::size_t bundle_events_max = 100'000;
/// Commas and opening brackets of the text, which bound the memory that reading it takes.
inline constexpr std::size_t bundle_marks_max = 8'000'000;
inline constexpr std::size_t bundle_failures_max = 100;
inline constexpr std::size_t bundle_refs_max = 100;  ///< that a list of a report names; its count has all

inline constexpr std::size_t bundle_key_changes_max = 100;  ///< further ones are not followed

/// The attribute of a record in which a log's key hands over to another (`format_key_change`, a signed note).
inline constexpr std::string_view key_change_attribute = "key:change";

/// SHA-256 of the salt and the bytes of the record's JSON: what a leaf says of a content.
[[nodiscard]] Digest commitment_of(Digest const& salt, std::string_view record);

/// A content that a bundle shows.
struct ShownRecord {
  Digest salt;       ///< 32 random bytes
  std::string json;  ///< exactly what was committed to
};

/// An event of a bundle.
struct BundleEvent {
  std::uint64_t index = 0;  ///< of the leaf
  std::string line = {};    ///< the leaf
  std::vector<Digest> proof = {};
  std::optional<ShownRecord> record = {};  ///< absent: withheld, or the event has no content
};

/// What a certificate of an erasure has besides: the tree before the erasure, and that the checkpoint's continues it.
struct TreeBefore {
  TreeHead tree = {};
  std::vector<Digest> proof = {};  ///< of consistency, from it to the checkpoint's
};

/// The parts of a bundle.
struct Bundle {
  std::string about;                      ///< a ref, of which there is a `put` or `version` event
  std::string checkpoint;                 ///< a signed note
  std::vector<BundleEvent> events = {};   ///< by ascending index
  std::optional<TreeBefore> before = {};  ///< given: it is a certificate of the erasure that `about` records
};

/// The JSON of a bundle, compact. The texts must be UTF-8.
[[nodiscard]] std::string format_bundle(Bundle const& bundle);

/// A rule that a bundle breaks.
struct BundleFailure {
  std::string path;     ///< JSON Pointer in the bundle
  std::string rule;     ///< its name in the format's table of rules
  std::string message;  ///< a sentence for people, without anything from the bundle

  friend bool operator==(BundleFailure const&, BundleFailure const&) = default;
};

/// Refs, of which the first are named.
struct CountedRefs {
  std::vector<std::string> refs = {};  ///< sorted, at most `bundle_refs_max`
  std::uint64_t count = 0;
};

/// What a bundle was found to prove. Where there are failures nothing else is to be shown.
struct BundleReport {
  std::vector<BundleFailure> failures = {};  ///< in the order of the text, at most `bundle_failures_max`
  Checkpoint checkpoint = {};
  /// The text of each key whose signature holds, cosignatures among them: of those given, and those they hand over to.
  std::vector<std::string> keys = {};
  std::string about = {};
  std::string newest_at = {};      ///< the time of the event with the highest index
  std::uint64_t events = 0;        ///< that are in the tree
  std::uint64_t records = 0;       ///< whose content is that of the leaf
  std::uint64_t withheld = 0;      ///< whose leaf names a content that is not shown
  std::uint64_t edges = 0;         ///< in the lines of the events
  CountedRefs ended = {};          ///< nodes whose last event here is a deletion, a purge or the end of retention
  CountedRefs without_event = {};  ///< ends of edges of which there is no event here
  std::optional<std::uint64_t> erased = {};  ///< of a certificate: the events just before that of `about`, which purge
  std::optional<std::string> erasure = {};   ///< of a certificate: the record of the erasure, if it is shown

  [[nodiscard]] bool is_verified() const noexcept { return failures.empty(); }
};

/// Checks a bundle against the keys that its reader trusts, and those to which they hand over in records of it. Any
/// bytes are fine. O(n log n) in the bundle.
[[nodiscard]] BundleReport verify_bundle(std::string_view text, std::span<VerifierKey const> keys);

/// Appends the report as a JSON object: `verified`, and either `failures` or what was found, with `not_proved`.
void append_report(std::string& out, BundleReport const& report);

/// What a verified bundle does not prove: sentences for people.
[[nodiscard]] std::span<std::string_view const> not_proved() noexcept;

}  // namespace whence::schema::proof
