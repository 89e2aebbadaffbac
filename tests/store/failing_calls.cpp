// The functions that replace LMDB's.

#include "tests/store/failing_calls.hpp"

#include <dlfcn.h>
#include <lmdb.h>

namespace whence::test {
namespace {

struct LmdbPlan {
  bool is_armed = false;
  std::size_t left = 0;  ///< calls that still succeed
  int code = 0;
  bool has_failed = false;
};

LmdbPlan lmdb_plan;

/// Whether the call at hand is the one to fail.
bool lmdb_fails_now() noexcept {
  if (!lmdb_plan.is_armed || lmdb_plan.has_failed) return false;
  lmdb_plan.has_failed = lmdb_plan.left == 0;
  if (!lmdb_plan.has_failed) --lmdb_plan.left;
  return lmdb_plan.has_failed;
}

template <class Function>
Function* lmdb_function(char const* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

FailingCall::FailingCall(std::size_t number, int code) noexcept {
  lmdb_plan = {.is_armed = true, .left = number, .code = code};
}

FailingCall::~FailingCall() {
  lmdb_plan = {};
}

bool FailingCall::has_failed() const noexcept {
  return lmdb_plan.has_failed;
}

}  // namespace whence::test

extern "C" int mdb_put(MDB_txn* txn, MDB_dbi dbi, MDB_val* key, MDB_val* value, unsigned flags) {
  static auto* const real = whence::test::lmdb_function<decltype(mdb_put)>("mdb_put");
  return whence::test::lmdb_fails_now() ? whence::test::lmdb_plan.code : real(txn, dbi, key, value, flags);
}

extern "C" int mdb_txn_commit(MDB_txn* txn) {
  static auto* const real = whence::test::lmdb_function<decltype(mdb_txn_commit)>("mdb_txn_commit");
  if (!whence::test::lmdb_fails_now()) return real(txn);
  mdb_txn_abort(txn);  // the transaction is over either way
  return whence::test::lmdb_plan.code;
}
