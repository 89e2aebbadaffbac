#pragma once
// One HTTP request out, of a thread that may wait.

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace whence::net {

struct PostTarget {
  std::string host;
  std::uint16_t port;
  std::string path;
  std::chrono::seconds patience;       ///< for all of it, from the name to the answer
  std::chrono::seconds last_patience;  ///< once the thread is to stop
};

/// Posts a JSON document and waits for the answer. What went wrong; empty where
/// the status is 200 to 299. Of the answer at most 64 KiB are read. A name that
/// the system's resolver is slow to find may take longer.
[[nodiscard]] std::string post_json(PostTarget const& target, std::string body, std::stop_token const& stop);

}  // namespace whence::net
