// What the kernels here ask of a machine, in clang's own builtins: no header of anybody's is needed.
#ifdef __AMDGCN__
#define THREAD ((int)__builtin_amdgcn_workitem_id_x())
#define BARRIER()                                      \
  do {                                                 \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                      \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)
#define FIRST(x) ((int)__builtin_amdgcn_readfirstlane(x))
#define VOTE(c) ((int)__builtin_amdgcn_ballot_w64(c))
#else
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define BARRIER() __nvvm_bar_sync(0)
#define FIRST(x) (__nvvm_shfl_sync_idx_i32(-1, x, 0, 31))
#define VOTE(c) ((int)__nvvm_vote_ballot_sync(-1, c))
#endif
#define N 8
#define ME (THREAD & (N - 1))
