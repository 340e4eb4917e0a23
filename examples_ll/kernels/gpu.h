// What the kernels here need of HIP's and CUDA's headers, in a few lines, so that clang needs no SDK.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

typedef unsigned int uint;
typedef unsigned long long ulong;

#if defined(__HIP__)

#define threadIdx_x __builtin_amdgcn_workitem_id_x()
#define threadIdx_y __builtin_amdgcn_workitem_id_y()
#define blockIdx_x __builtin_amdgcn_workgroup_id_x()
#define blockIdx_y __builtin_amdgcn_workgroup_id_y()
#define blockDim_x __builtin_amdgcn_workgroup_size_x()
#define blockDim_y __builtin_amdgcn_workgroup_size_y()

__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__device__ inline uint lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }
__device__ inline uint ballot(bool b) { return __builtin_amdgcn_ballot_w32(b); }
__device__ inline uint below(uint mask) { return __builtin_amdgcn_mbcnt_lo(mask, 0); }
__device__ inline int shuffle(int value, uint from) {
  return __builtin_amdgcn_ds_bpermute((int)(from << 2), value);
}

#else

#define threadIdx_x __nvvm_read_ptx_sreg_tid_x()
#define threadIdx_y __nvvm_read_ptx_sreg_tid_y()
#define blockIdx_x __nvvm_read_ptx_sreg_ctaid_x()
#define blockIdx_y __nvvm_read_ptx_sreg_ctaid_y()
#define blockDim_x __nvvm_read_ptx_sreg_ntid_x()
#define blockDim_y __nvvm_read_ptx_sreg_ntid_y()

__device__ inline uint lane() { return __nvvm_read_ptx_sreg_laneid(); }
__device__ inline uint ballot(bool b) { return __nvvm_vote_ballot_sync(~0u, b); }
__device__ inline uint below(uint mask) {
  return __builtin_popcount(mask & __nvvm_read_ptx_sreg_lanemask_lt());
}
__device__ inline int shuffle(int value, uint from) {
  return __nvvm_shfl_sync_idx_i32(~0u, value, (int)from, 31);
}

#endif

__device__ inline int atomicAdd(int *where, int value) {
  return __scoped_atomic_fetch_add(where, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
