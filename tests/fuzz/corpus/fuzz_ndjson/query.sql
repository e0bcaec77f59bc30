SELECT *, kernel_version(kernel) FROM allocations JOIN recordings USING (recording_id)
