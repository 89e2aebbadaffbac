#pragma once
// What the grammar of PROV-N (W3C recommendation, 3.7) takes in each place. What it does not take is not written there:
// a text could otherwise end its place and be read as statements that nobody made.

#include <string>
#include <string_view>

namespace whence::exports {

/// Whether `text` is a prefix (`PN_PREFIX`).
[[nodiscard]] bool is_prov_n_prefix(std::string_view text) noexcept;

/// A prefix made of `text`: itself where it is one. Others may be made to the same.
[[nodiscard]] std::string prov_n_prefix(std::string_view text);

/// Whether `text` may stand between `<` and `>` (`IRI_REF`).
[[nodiscard]] bool is_prov_n_iri(std::string_view text) noexcept;

/// An IRI for what is none: every byte that an IRI does not have, and every `%`, as `%XX` behind a namespace of its
/// own. One for each text, and none that a document of others has.
[[nodiscard]] std::string prov_n_iri_of(std::string_view text);

/// Whether `text` is a time (`DATETIME`, that is xsd:dateTime).
[[nodiscard]] bool is_prov_n_time(std::string_view text) noexcept;

/// What a `%` with two hexadecimal digits in a name is.
enum class PercentCodes : unsigned char {
  escape,  ///< characters like others: the name means them
  keep,    ///< a code already: names of our own records are written so
};

/// Appends the local part of a name (`PN_LOCAL`): a character of the syntax behind a backslash, one that no name has as
/// the `%XX` of its bytes, and a `%` as `%25`, so that two names never become one. Whether any `%XX` was written.
bool append_prov_n_local(std::string& out, std::string_view local, PercentCodes codes);

}  // namespace whence::exports
