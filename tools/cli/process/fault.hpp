#pragma once
// A fault on a mapped file: the file is shorter than what it says of itself, or somebody cut it; or a damaged page of a
// store led LMDB out of its map. Said with its place, and an exit code, instead of a signal.

#include "tools/cli/process/exit_code.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fcntl.h>
#include <ucontext.h>
#include <unistd.h>

namespace whence::tools {

/// Used by a signal handler: nothing here allocates, locks or throws.
class FaultReport {
 public:
  /// From now on a SIGBUS on a mapped file, and a SIGSEGV in LMDB's own code, end the process with
  /// `verification_failed` and a line on stderr. Others end it as before.
  static void watch() {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;  // a fault in here ends the process
    ::sigaction(SIGBUS, &action, nullptr);
    ::sigaction(SIGSEGV, &action, nullptr);
  }

 private:
  static constexpr std::size_t page_bytes = 4096;

  struct Mapping {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::uint64_t offset = 0;
    std::string_view path = {};
  };

  static void on_fault(int signal, siginfo_t* info, void* context) {
    static std::atomic_flag is_told;
    while (is_told.test_and_set()) ::pause();  // another thread met it first, and ends the process
    if (signal == SIGSEGV) return on_wild_address(info, context, is_told);
    auto const address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    std::array<char, 1024> line = {};
    auto const mapping = info->si_code > 0 ? find(address, line) : Mapping{};
    if (!mapping.path.starts_with('/')) {  // the same happens again, without a handler
      std::signal(SIGBUS, SIG_DFL);
      is_told.clear();
      return;
    }
    say("whence: ");
    say(mapping.path);
    say(" is damaged: page ");
    say_number((address - mapping.begin + mapping.offset) / page_bytes);
    say(" cannot be read. `whence verify --db DIR` names what else is; tools/operations/BACKUP.md has the steps.\n");
    ::_exit(static_cast<int>(ExitCode::verification_failed));
  }

  /// LMDB follows numbers of pages and offsets in them, and checks neither: nothing else leads it to such an address.
  static void on_wild_address(siginfo_t* info, void* context, std::atomic_flag& is_told) {
    std::array<char, 1024> line = {};
    auto const mapping = info->si_code > 0 ? find(place_of(context), line) : Mapping{};
    if (mapping.path.find("liblmdb") == std::string_view::npos) {
      std::signal(SIGSEGV, SIG_DFL);
      is_told.clear();
      return;
    }
    say("whence: the store is damaged: data.mdb has a page that names a place outside of it. "
        "`whence verify --db DIR` names what is; tools/operations/BACKUP.md has the steps.\n");
    ::_exit(static_cast<int>(ExitCode::verification_failed));
  }

  /// The address of the instruction that met the fault; 0 where this machine's is not known here.
  static std::uintptr_t place_of(void* context) {
    auto const& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<std::uintptr_t>(machine.pc);
#else
    return static_cast<void>(machine), 0;
#endif
  }

  /// The line of /proc/self/maps that has the address; it is in `line`.
  static Mapping find(std::uintptr_t address, std::array<char, 1024>& line) {
    int const file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
    std::array<char, 512> read = {};
    std::size_t size = 0;
    for (;;) {
      auto const got = ::read(file, read.data(), read.size());
      if (got <= 0) return {};
      for (char const c : std::string_view{read.data(), static_cast<std::size_t>(got)}) {
        if (c != '\n') {
          if (size < line.size()) line[size++] = c;
          continue;
        }
        auto const mapping = parse({line.data(), size});
        if (mapping.begin <= address && address < mapping.end) return mapping;
        size = 0;
      }
    }
  }

  /// "BEGIN-END rw-p OFFSET DEVICE INODE      PATH".
  static Mapping parse(std::string_view line) {
    Mapping mapping;
    mapping.begin = take_hex(line);
    mapping.end = take_hex(line);
    line.remove_prefix(std::min(line.size(), std::size_t{5}));  // the rights
    mapping.offset = take_hex(line);
    if (auto const path = line.find('/'); path != std::string_view::npos) mapping.path = line.substr(path);
    return mapping;
  }

  /// A number, and the character behind it.
  static std::uint64_t take_hex(std::string_view& line) {
    std::uint64_t number = 0;
    while (!line.empty()) {
      char const c = line.front();
      line.remove_prefix(1);
      bool const is_digit = c >= '0' && c <= '9';
      if (!is_digit && (c < 'a' || c > 'f')) break;
      number = number * 16 + static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
    }
    return number;
  }

  static void say(std::string_view text) {
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  }

  static void say_number(std::uint64_t number) {
    std::array<char, 20> digits = {};
    auto at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    say({digits.data() + at, digits.size() - at});
  }
};

}  // namespace whence::tools
