#pragma once
// Ids of users and discussions as names of files: `{userId}/{discussionId}.json`.

#include <string>
#include <string_view>

namespace whence::schema {

/// `id` with every byte outside `A-Za-z0-9._-`, and a leading dot, as `%XX` in upper-case hex. Never "." or "..",
/// without `/`, and different for different ids.
[[nodiscard]] std::string escape_file_name(std::string_view id);

/// Whether some id, not empty, escapes to `name`.
[[nodiscard]] bool is_escaped_file_name(std::string_view name);

/// The id that escapes to `name`; `name` itself where there is none, as another program may have named the file.
[[nodiscard]] std::string id_of_file_name(std::string_view name);

}  // namespace whence::schema
